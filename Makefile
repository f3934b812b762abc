SHELL := /bin/bash
.DEFAULT_GOAL := help

# Maven runs on the JDK 25 of this machine where one is found; else, for `make test`, on its own JVM with a toolchain.
JDK25 := $(shell src/build/find-jdk.sh 25)
ifneq ($(JDK25),)
export JAVA_HOME := $(JDK25)
# Maven's own libraries call what newer JDKs warn of.
export MAVEN_OPTS := $(MAVEN_OPTS) --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
endif
MVN := mvn -B -ntp -Dstyle.color=never
JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/)java --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
KUBECTL ?= kubectl
# $(call need,COMMAND,WORDS) stops with these words where there is no such command.
need = $(if $(shell command -v $(1)),,$(error $(2)))
NEED_MAVEN = $(call need,mvn,No Maven found: install Maven 3.8 or later and have mvn on the PATH)
NEED_GO = $(call need,go,No Go found: install Go 1.26 or later and have go on the PATH)
# The image that deploy/manager.yaml names.
IMG ?= kubevirt-ferry:0.1.0

K8S := 1.36.3
TESTBED := target/testbed/testbed
BUILT := target/built
VERSION_PACKAGE := k8s.io/component-base/version
TESTBED_FLAGS := -s -w -X $(VERSION_PACKAGE).gitVersion=v$(K8S) -X $(VERSION_PACKAGE).gitMajor=1 -X $(VERSION_PACKAGE).gitMinor=36

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-13s %s\n", $$1, $$2}'

.PHONY: demo
demo: $(TESTBED) $(BUILT) ## Show what it does on an embedded cluster; KEEP=1 leaves that running for you
	@$(JAVA) -XX:+UseSerialGC -Xmx256m -Dlogback.configurationFile=demo/logback.xml \
	  -cp target/test-classes:target/classes:$$(cat target/test-classpath) io.kubevirt.ferry.demo.Demo $(if $(filter-out 0,$(KEEP)),--keep || [ $$? = 130 ])

.PHONY: build
build: $(BUILT) ## Build target/kubevirt-ferry.jar, for java -jar

# What `java -jar` needs, and the test classes with their class path; nothing is checked or tested here.
$(BUILT): pom.xml $(shell find src/main src/test -type f)
	$(if $(JDK25),,$(error No JDK 25 found: install one, or say where it is with JAVA_HOME))
	$(NEED_MAVEN)
	@echo "Building kubevirt-ferry; the first time takes some minutes"
	@$(MVN) -q -DskipTests -Dspotless.check.skip -Djacoco.skip -Djavac.warnings=-nowarn -Djavac.checks=-nowarn package \
	  dependency:build-classpath -Dmdep.outputFile=target/test-classpath -Dmdep.includeScope=test
	@touch $@

.PHONY: testbed
testbed: $(TESTBED) ## Build the embedded control plane (a few minutes the first time)

$(TESTBED): $(wildcard src/testbed/*.go) src/testbed/go.mod src/testbed/go.sum
	$(NEED_GO)
	@mkdir -p $(@D)
	@echo "Building the embedded control plane from Kubernetes' own modules; the first time takes some minutes"
	@cd src/testbed && CGO_ENABLED=0 go build -ldflags "$(TESTBED_FLAGS)" -o $(CURDIR)/$@ .

.PHONY: test
test: $(TESTBED) ## Run every check and test, on the embedded control plane
	$(NEED_MAVEN)
	$(NEED_GO)
	cd src/testbed && go vet ./...
	$(MVN) verify

SECONDS ?= 60
.PHONY: fuzz
fuzz: $(TESTBED) ## Try random cases for SECONDS (60), from SEED if given, else from a random one
	$(NEED_MAVEN)
	@$(MVN) -q test-compile dependency:build-classpath -Dmdep.outputFile=target/test-classpath -Dmdep.includeScope=test
	@$(JAVA) -ea -Xmx1g -Dlogback.configurationFile=fuzz/logback.xml -cp target/test-classes:target/classes:$$(cat target/test-classpath) \
		io.kubevirt.ferry.fuzz.Fuzz $(SECONDS) $(SEED)

# The cache of classes as the image has it, for the JVM here.
TRAINED := target/kubevirt-ferry.aot
$(TRAINED): $(BUILT) src/build/Training.java src/build/jvm.options
	@cp src/build/jvm.options target/
	@$(JAVA) src/build/Training.java $@ $(firstword $(JAVA)) @target/jvm.options -jar target/kubevirt-ferry.jar >target/training.log 2>&1 \
	  || { cat target/training.log; exit 1; }

.PHONY: bench
bench: $(TESTBED) $(TRAINED) ## Measure speed and footprint against their targets (some minutes, on a quiet machine)
	@$(JAVA) -XX:+UseSerialGC -Xmx1g -Dlogback.configurationFile=demo/logback.xml \
	  -cp target/test-classes:target/classes:$$(cat target/test-classpath) io.kubevirt.ferry.bench.Bench $(BENCH)

.PHONY: run
run: webhook-url $(BUILT) install ## Run the manager here, for the current cluster, whose API server finds it at WEBHOOK_URL
	@trap '$(KUBECTL) replace --save-config -f deploy/webhooks.yaml' EXIT; \
	  $(JAVA) -XX:+UseSerialGC -jar target/kubevirt-ferry.jar manager --webhook-url $(WEBHOOK_URL)

.PHONY: webhook-url
webhook-url:
	@[ -n "$(WEBHOOK_URL)" ] || { echo "make run WEBHOOK_URL=https://HOST:9443, with the name or address of this machine for the API server"; exit 1; }

# A manager that ran outside the cluster and was killed leaves its URL behind: a Service beside it would be refused.
.PHONY: install
install: ## Install into the current cluster what the manager needs, but not itself
	@if $(KUBECTL) get -f deploy/webhooks.yaml --ignore-not-found -o yaml | grep -q '^ *url:'; \
	  then $(KUBECTL) replace --save-config -f deploy/webhooks.yaml; fi
	$(KUBECTL) apply -k deploy -l 'app.kubernetes.io/component!=manager'

.PHONY: deploy
deploy: ## Install into the current cluster everything, the manager from the image IMG
	$(KUBECTL) kustomize deploy | sed 's#image: kubevirt-ferry:.*#image: $(IMG)#' | $(KUBECTL) apply -f -

# What deleting deploy/ leaves behind goes first, and that needs no manager that runs.
.PHONY: undeploy
undeploy: ## Remove everything from the current cluster
	KUBECTL='$(KUBECTL)' src/build/remove-webhooks.sh
	$(KUBECTL) delete --ignore-not-found -k deploy

.PHONY: uninstall
uninstall: undeploy ## The same as undeploy

.PHONY: docker-build
docker-build: ## Build the image IMG
	docker build -t $(IMG) .

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
