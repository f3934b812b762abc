// Command testbed is a Kubernetes control plane in one binary, for tests, the demo and benchmarks.
//
// The first argument picks the part: "up" starts etcd, the API server, the scheduler and the controller manager as
// children of itself and ends with them; "oracle" answers questions about node affinity with Kubernetes' own code;
// "webhook" allows everything; "kubectl" is kubectl; the other names run one part in the foreground with that part's own flags.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const usage = `usage: testbed PART [ARG ...]

  up       start a whole control plane; ends, with all its parts, when standard input closes
  oracle   JSON lines in, JSON lines out: what Kubernetes' own code says of node affinity
  webhook  an admission webhook that reads nothing and allows everything: the least that one can cost
  kubectl  kubectl of the same release
  etcd | kube-apiserver | kube-scheduler | kube-controller-manager
           one part, in the foreground, with that part's own flags
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	part := os.Args[1]
	switch part {
	case "up":
		os.Exit(up(os.Args[2:]))
	case "oracle":
		os.Exit(oracle(os.Stdin, os.Stdout))
	case "webhook":
		os.Exit(webhook(os.Stdin, os.Stdout))
	case "kubectl":
		os.Args = os.Args[1:]
		kubectlutil.CheckErr(cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()))
		return
	}
	endWithParent()
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-scheduler":
		run(scheduler.NewSchedulerCommand())
	case "kube-controller-manager":
		run(controllermanager.NewControllerManagerCommand())
	default:
		fmt.Fprintf(os.Stderr, "testbed: no part %q\n\n%s", part, usage)
		os.Exit(2)
	}
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}
