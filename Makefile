# The commands of the project; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help site screenshots dist dist-test packages build release test test-scalar sanitize sanitize-thread sanitize-readers sanitize-address lint format bench bench-smoke demo soak campaigns consumer docs-site clean

SWIFT ?= swift
# No target but those of users needs the build plugin, whose tool is a second debug build of the command: see Package.swift.
export MERGEWALK_PLUGINS := none
# Where the optimized command is built; CI builds it beside the tests, which need .build.
RELEASE ?= .build
MERGEWALK := $(RELEASE)/release/mergewalk
DEMO_STORE := build/shop.sqlite
FUZZ_SECONDS ?= 600
CAMPAIGN_SECONDS ?= 7200
# The tests of what has loops with vector instructions, without those that compare all ways of scanning by themselves.
SCALAR_TESTS := RecordFormatsTests\.(CSV(?!Ahead|Plain)|NDJSON|JSON|FixedWidth|ScanLevel|TextCheck)
# Options of bench/run.py for `make bench-smoke`.
BENCH ?=

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

packages: ## install missing system packages (Debian)
	@./scripts/install-packages.sh

build: packages ## debug build of everything
	$(SWIFT) build --build-tests

release: packages ## release build of the mergewalk command
	$(SWIFT) build -c release --product mergewalk --scratch-path $(RELEASE)

dist: packages ## a tarball, a Debian package and an OCI image in build/dist, linked statically
	PKG_CONFIG_PATH=$$(python3 scripts/static-libraries.py build/static) \
	  $(SWIFT) build -c release --product mergewalk --static-swift-stdlib --scratch-path .build_static
	python3 scripts/dist.py --binary .build_static/release/mergewalk --static build/static/libraries.json --out build/dist

dist-test: ## install what `make dist` built into roots without Swift, and run the demo there (as root)
	python3 scripts/check-docs.py --units
	python3 scripts/dist-test.py --dist build/dist

test: packages ## every test
	SWIFT=$(SWIFT) ./scripts/test.sh

test-scalar: build ## the readers' tests without vector instructions, as on a processor that has none
	MERGEWALK_SCAN=none SWIFT=$(SWIFT) ./scripts/test.sh --skip-build --filter '$(SCALAR_TESTS)'

sanitize: sanitize-thread sanitize-address ## tests under both sanitizers

sanitize-thread: packages ## tests with threads under ThreadSanitizer
	SWIFT=$(SWIFT) ./scripts/sanitize.sh thread

sanitize-readers: packages ## those below the import layer only, which CI runs
	SWIFT=$(SWIFT) ./scripts/sanitize.sh thread-readers

sanitize-address: packages ## readers' tests under AddressSanitizer, with and without vector instructions
	SCALAR_TESTS='$(SCALAR_TESTS)' SWIFT=$(SWIFT) ./scripts/sanitize.sh address

site: ## a site of the README and docs in build/site, with MkDocs from PyPI; broken links are errors
	@test -x build/site-env/bin/mkdocs || (python3 -m venv build/site-env && build/site-env/bin/pip install -q mkdocs==1.6.1)
	build/site-env/bin/python scripts/site.py

screenshots: ## the pictures of docs/images, with Chromium
	python3 scripts/screenshots.py

lint: packages ## formatting, imports, pipelines and models
	$(SWIFT) format lint --strict --recursive Sources Tests Examples bench/Sources Package.swift bench/Package.swift
	python3 scripts/check-imports.py
	python3 scripts/check-docs.py
	python3 scripts/public-types.py --check
	python3 scripts/check-inlinable.py
	./scripts/darwin-check.sh
	$(SWIFT) build --product mergewalk
	$(SWIFT) run --skip-build mergewalk lint pipelines/*.yaml pipelines/library/*.yaml
	$(SWIFT) run --skip-build mergewalk model lint fixtures/shop/Shop.xcdatamodeld

format: ## format all Swift files in place
	$(SWIFT) format -i --recursive Sources Tests Examples bench/Sources Package.swift bench/Package.swift

demo: release ## import the orders in fixtures/ into a new store and look at it
	@rm -f $(DEMO_STORE)
	@mkdir -p build
	$(MERGEWALK) run pipelines/orders.yaml
	$(MERGEWALK) store verify $(DEMO_STORE) --model fixtures/shop/Shop.xcdatamodeld
	$(MERGEWALK) store info $(DEMO_STORE)
	$(MERGEWALK) fetch $(DEMO_STORE) --entity Customer --format table --sort -pieces --limit 3 \
	  --columns "name,orders=orders.@count,pieces=sum:(orders.quantity)"
	@echo "The store is $(CURDIR)/$(DEMO_STORE)"

bench: packages release ## the benchmarks: 1,000,000 orders and fetches, every contestant this machine can run
	python3 bench/run.py --rounds 3
	python3 bench/fetch.py
	python3 bench/objects.py
	python3 bench/readers.py --format all

bench-smoke: packages release ## the same at 20,000 orders, once: do all contestants do the same work?
	python3 bench/run.py --mergewalk $(MERGEWALK) --orders 20000 --rounds 1 --results build/bench/results $(BENCH)

soak: packages ## the long tests: property tests with many seeds, and each fuzz target for FUZZ_SECONDS
	./scripts/install-engines.sh spark
	MERGEWALK_SOAK=1 SWIFT=$(SWIFT) ./scripts/test.sh
	SWIFT=$(SWIFT) ./scripts/consumer.sh
	./scripts/test-plugin.sh
	./scripts/fuzz.sh $(FUZZ_SECONDS)
	$(MAKE) campaigns

campaigns: release ## kills, faults, signals, limits and neighbours for CAMPAIGN_SECONDS; resumes
	python3 scripts/campaigns/campaign.py --binary $(MERGEWALK) --budget $(CAMPAIGN_SECONDS)

consumer: packages ## build and run a package that depends on this one (minutes)
	SWIFT=$(SWIFT) ./scripts/consumer.sh

docs-site: packages ## the DocC pages of the products in build/docs-site; warnings are errors
	SWIFT=$(SWIFT) ./scripts/docs-site.sh

clean: ## remove build products
	$(SWIFT) package clean
	rm -rf build
