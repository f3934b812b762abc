package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

// where is what webhook writes once it listens: a clientConfig of a webhook configuration.
type where struct {
	URL      string `json:"url"`
	CABundle []byte `json:"caBundle"`
}

// webhook serves an admission webhook that allows everything and looks at nothing but the UID that it has to repeat:
// the least that a webhook can cost; under /patch with a label for the object, the least that one with a patch can. It writes where it is as a line of JSON, and ends when standard input closes.
func webhook(in io.Reader, out io.Writer) int {
	if err := serveWebhook(in, out); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		return 1
	}
	return 0
}

func serveWebhook(in io.Reader, out io.Writer) error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:   http.HandlerFunc(allow),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	err = json.NewEncoder(out).Encode(where{
		URL:      "https://" + listener.Addr().String(),
		CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}),
	})
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		served <- nil
	}()
	return <-served
}

var label = base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/metadata/labels/least","value":""}]`))

// allow answers the review of which it reads the UID alone; the rest is skipped.
func allow(answer http.ResponseWriter, request *http.Request) {
	var review struct {
		Request struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	body := json.NewDecoder(request.Body)
	if err := body.Decode(&review); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	patch := ""
	if request.URL.Path == "/patch" {
		patch = fmt.Sprintf(`,"patchType":"JSONPatch","patch":%q`, label)
	}
	answer.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(answer, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true%s}}`,
		review.Request.UID, patch)
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "webhook"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
