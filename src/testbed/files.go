package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:apiserver", "system:kube-scheduler", "system:kube-controller-manager"]
- level: None
  nonResourceURLs: ["/readyz*", "/livez*", "/openapi*", "/version"]
- level: Metadata
`

// files writes keys, certificates, tokens, kubeconfigs and the audit policy into the folder.
func (p *controlPlane) files(ports []string, people users) (*ready, error) {
	caPEM, certPEM, keyPEM, err := certificates()
	if err != nil {
		return nil, err
	}
	accountsKey, accountsPub, err := signingKey()
	if err != nil {
		return nil, err
	}
	server := "https://127.0.0.1:" + ports[2]
	said := &ready{Server: server, CAFile: p.path("ca.crt"), Kubeconfig: p.path("kubeconfig"), AuditLog: p.path("audit.log"),
		Tokens: map[string]string{}}
	var tokens strings.Builder
	for i, person := range people {
		fmt.Fprintf(&tokens, "%s,%q,uid-%d,%q\n", person.Token, person.Name, i, strings.Join(person.Groups, ","))
		said.Tokens[person.Name] = person.Token
	}
	content := map[string][]byte{
		"ca.crt": caPEM, "server.crt": certPEM, "server.key": keyPEM,
		"accounts.key": accountsKey, "accounts.pub": accountsPub,
		"tokens.csv": []byte(tokens.String()), "audit-policy.yaml": []byte(auditPolicy),
		"kubeconfig":                    kubeconfig(said, admin),
		"scheduler.kubeconfig":          kubeconfig(said, schedulerUser),
		"controller-manager.kubeconfig": kubeconfig(said, controllerManager),
	}
	for name, bytes := range content {
		if err := os.WriteFile(p.path(name), bytes, 0o600); err != nil {
			return nil, err
		}
	}
	return said, nil
}

func kubeconfig(said *ready, name string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: testbed
  cluster: {server: %q, certificate-authority: %q}
users:
- name: %q
  user: {token: %q}
contexts:
- name: testbed
  context: {cluster: testbed, user: %q}
current-context: testbed
`, said.Server, said.CAFile, name, said.Tokens[name], name)
}

// certificates makes a CA and a serving certificate for loopback, both good for a day.
func certificates() (ca, cert, key []byte, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	now := time.Now()
	caTemplate := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "testbed-ca"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, caTemplate, caTemplate, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, nil, nil, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost", "kubernetes.default.svc"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, caTemplate, &serverKey.PublicKey, caKey)
	if err != nil {
		return nil, nil, nil, err
	}
	keyDER, err := x509.MarshalECPrivateKey(serverKey)
	if err != nil {
		return nil, nil, nil, err
	}
	return block("CERTIFICATE", caDER), block("CERTIFICATE", der), block("EC PRIVATE KEY", keyDER), nil
}

// signingKey makes the key pair with which service account tokens are signed.
func signingKey() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	privateDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	publicDER, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, nil, err
	}
	return block("EC PRIVATE KEY", privateDER), block("PUBLIC KEY", publicDER), nil
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
