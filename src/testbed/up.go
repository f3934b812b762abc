package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	admin             = "admin"
	schedulerUser     = "system:kube-scheduler"
	controllerManager = "system:kube-controller-manager"
	readyWithin       = 120 * time.Second
)

// controllers are those that tests can see the work of. Left out: what would judge nodes and pods in place of whoever
// plays the kubelet (node lifecycle, pod garbage collection), and clouds.
var controllers = []string{
	"namespace-controller", "garbage-collector-controller", "serviceaccount-controller", "clusterrole-aggregation-controller",
	"persistentvolume-binder-controller", "persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller",
	"deployment-controller", "replicaset-controller", "disruption-controller", "validatingadmissionpolicy-status-controller",
}

// user is one who may log in with a bearer token.
type user struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups,omitempty"`
	Token  string   `json:"token"`
}

// users collects --user NAME[=GROUP,GROUP…].
type users []user

func (u *users) String() string { return "" }

func (u *users) Set(text string) error {
	name, groups, _ := strings.Cut(text, "=")
	if name == "" {
		return errors.New("a user needs a name")
	}
	added := user{Name: name, Token: randomToken()}
	if groups != "" {
		added.Groups = strings.Split(groups, ",")
	}
	*u = append(*u, added)
	return nil
}

// ready is the one line on standard output that says that the control plane answers.
type ready struct {
	Server     string            `json:"server"`
	CAFile     string            `json:"caFile"`
	Kubeconfig string            `json:"kubeconfig"`
	AuditLog   string            `json:"auditLog"`
	Tokens     map[string]string `json:"tokens"`
}

// controlPlane is what is running, and where its files are.
type controlPlane struct {
	dir      string
	self     string
	lifeline *lifeline
	ended    chan string
}

func up(args []string) int {
	flags := flag.NewFlagSet("testbed up", flag.ContinueOnError)
	dir := flags.String("dir", "", "folder for data, keys and logs; made if missing, removed at the end (default: a new temporary one)")
	keep := flags.Bool("keep", false, "leave the folder at the end")
	var people users
	flags.Var(&people, "user", "NAME[=GROUP,GROUP]: may log in with a token of its own (repeat for more)")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := start(*dir, *keep, people); err != nil {
		fmt.Fprintln(os.Stderr, "testbed up:", err)
		return 1
	}
	return 0
}

// start returns when standard input closes or a signal to end arrives, with nil, or when a part ends by itself.
func start(dir string, keep bool, people users) error {
	dir, err := folder(dir)
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(dir)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	line, err := newLifeline()
	if err != nil {
		return err
	}
	plane := &controlPlane{dir: dir, self: self, lifeline: line, ended: make(chan string, 8)}
	children := []*exec.Cmd{}
	defer func() {
		for _, child := range children {
			_ = child.Process.Kill()
			_, _ = child.Process.Wait()
		}
	}()
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)

	ports, err := freePorts(6)
	if err != nil {
		return err
	}
	people = append(users{{Name: admin, Groups: []string{"system:masters"}, Token: randomToken()},
		{Name: schedulerUser, Token: randomToken()},
		// One user for all controllers: the role of that name is for a manager whose controllers have accounts of their own.
		{Name: controllerManager, Groups: []string{"system:masters"}, Token: randomToken()}}, people...)
	said, err := plane.files(ports, people)
	if err != nil {
		return err
	}
	parts := plane.parts(ports)
	launch := func(part []string) error {
		child, err := plane.launch(part[0], part[1:]...)
		if err == nil {
			children = append(children, child)
		}
		return err
	}
	for _, part := range parts[:serving] {
		if err := launch(part); err != nil {
			return err
		}
	}
	answering := make(chan error, 1)
	go func() { answering <- plane.waitUntilReady(said) }()
	for {
		select {
		case err := <-answering:
			if err != nil {
				return err
			}
			// Started any earlier these give up on an API server that takes its time.
			for _, part := range parts[serving:] {
				if err := launch(part); err != nil {
					return err
				}
			}
			if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
				return err
			}
		case part := <-plane.ended:
			return fmt.Errorf("%s ended by itself; the last of its log:\n%s", part, tail(plane.path(part+".log")))
		case <-over:
			return nil
		case <-signals:
			return nil
		}
	}
}

func folder(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "testbed-")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

func (p *controlPlane) path(name string) string { return filepath.Join(p.dir, name) }

// serving is how many of the parts have to answer before the others are started.
const serving = 2

// parts has one command line per part, in the order in which they are started.
func (p *controlPlane) parts(ports []string) [][]string {
	etcd, etcdPeer, api, schedulerPort, managerPort := ports[0], ports[1], ports[2], ports[3], ports[4]
	return [][]string{
		{"etcd",
			"--data-dir=" + p.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
			"--listen-client-urls=http://127.0.0.1:" + etcd, "--advertise-client-urls=http://127.0.0.1:" + etcd,
			"--listen-peer-urls=http://127.0.0.1:" + etcdPeer, "--initial-advertise-peer-urls=http://127.0.0.1:" + etcdPeer,
			"--initial-cluster=default=http://127.0.0.1:" + etcdPeer},
		{"kube-apiserver",
			"--etcd-servers=http://127.0.0.1:" + etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
			"--secure-port=" + api, "--tls-cert-file=" + p.path("server.crt"), "--tls-private-key-file=" + p.path("server.key"),
			"--client-ca-file=" + p.path("ca.crt"), "--token-auth-file=" + p.path("tokens.csv"), "--authorization-mode=RBAC",
			"--disable-admission-plugins=ServiceAccount", "--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=none",
			"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + p.path("accounts.pub"),
			"--service-account-signing-key-file=" + p.path("accounts.key"),
			"--audit-policy-file=" + p.path("audit-policy.yaml"), "--audit-log-path=" + p.path("audit.log"),
			"--enable-aggregator-routing=false", "--allow-privileged=true", "--profiling=false"},
		{"kube-scheduler",
			"--kubeconfig=" + p.path("scheduler.kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1",
			"--secure-port=" + schedulerPort, "--cert-dir=" + p.path("scheduler-certs"),
			"--authentication-skip-lookup=true", "--profiling=false"},
		{"kube-controller-manager",
			"--kubeconfig=" + p.path("controller-manager.kubeconfig"), "--leader-elect=false", "--bind-address=127.0.0.1",
			"--secure-port=" + managerPort, "--cert-dir=" + p.path("controller-manager-certs"), "--authentication-skip-lookup=true",
			"--controllers=" + strings.Join(controllers, ","), "--profiling=false",
			"--root-ca-file=" + p.path("ca.crt"), "--service-account-private-key-file=" + p.path("accounts.key")},
	}
}

func (p *controlPlane) launch(part string, args ...string) (*exec.Cmd, error) {
	log, err := os.Create(p.path(part + ".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(p.self, append([]string{part}, args...)...)
	command.Stdout, command.Stderr = log, log
	// A group of its own: Ctrl-C in a terminal reaches this process alone, which then ends the parts.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.lifeline.tie(command)
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = command.Wait()
		p.ended <- part
	}()
	return command, nil
}

// waitUntilReady waits for the API server's own word and for the namespaces that it makes.
func (p *controlPlane) waitUntilReady(said *ready) error {
	ca, err := os.ReadFile(said.CAFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}, Timeout: 5 * time.Second}
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
		for !answers(ctx, client, said.Server+path, said.Tokens[admin]) {
			if ctx.Err() != nil {
				return fmt.Errorf("%s gave no 200 within %s; the last of the API server's log:\n%s", path, readyWithin, tail(p.path("kube-apiserver.log")))
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

func answers(ctx context.Context, client *http.Client, url, token string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// freePorts asks the kernel for ports that nobody listens on. All are held until the last is known, so they differ.
func freePorts(count int) ([]string, error) {
	ports := make([]string, 0, count)
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

func randomToken() string {
	bytes := make([]byte, 16)
	_, _ = rand.Read(bytes)
	return hex.EncodeToString(bytes)
}

func tail(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) > 20 {
		lines = lines[len(lines)-20:]
	}
	return strings.Join(lines, "\n")
}
