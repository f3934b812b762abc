SHELL := /bin/bash
.DEFAULT_GOAL := help

# Maven runs on the JDK 25 of this machine where one is found; else on its own JVM, and a toolchain compiles.
JDK25 := $(shell src/build/find-jdk.sh 25)
ifneq ($(JDK25),)
export JAVA_HOME := $(JDK25)
endif
MVN := mvn -B -ntp

K8S := 1.36.3
TESTBED := target/testbed/testbed
VERSION_PACKAGE := k8s.io/component-base/version
TESTBED_FLAGS := -s -w -X $(VERSION_PACKAGE).gitVersion=v$(K8S) -X $(VERSION_PACKAGE).gitMajor=1 -X $(VERSION_PACKAGE).gitMinor=36

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*?## ' $(MAKEFILE_LIST) | awk -F ':.*?## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: testbed
testbed: $(TESTBED) ## Build the embedded control plane (a few minutes the first time)

$(TESTBED): $(wildcard src/testbed/*.go) src/testbed/go.mod src/testbed/go.sum
	@mkdir -p $(@D)
	cd src/testbed && CGO_ENABLED=0 go build -ldflags "$(TESTBED_FLAGS)" -o $(CURDIR)/$@ .

.PHONY: test
test: $(TESTBED) ## Run every check and test, on the embedded control plane
	cd src/testbed && go vet ./...
	$(MVN) verify

SECONDS ?= 60
.PHONY: fuzz
fuzz: $(TESTBED) ## Try random cases for SECONDS (60), from SEED if given, else from a random one
	$(MVN) -q test-compile dependency:build-classpath -Dmdep.outputFile=target/test-classpath -Dmdep.includeScope=test
	$(if $(JAVA_HOME),$(JAVA_HOME)/bin/)java -ea -Xmx1g -cp target/test-classes:target/classes:$$(cat target/test-classpath) \
		io.kubevirt.ferry.fuzz.Fuzz $(SECONDS) $(SEED)

.PHONY: format
format: ## Format the Java sources
	$(MVN) -q spotless:apply

.PHONY: crds
crds: ## Generate crds/ from the Java types
	$(MVN) -q test-compile org.codehaus.mojo:exec-maven-plugin:3.5.1:java \
	  -Dexec.mainClass=io.kubevirt.ferry.api.Crds -Dexec.classpathScope=test

.PHONY: clean
clean: ## Remove what was built
	rm -rf target
