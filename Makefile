# What one does in this repository. `make` alone lists it.

.DEFAULT_GOAL := help
.PHONY: help run demo ui e2e screenshots test lint fmt bench chaos fuzz

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Without Node the program works as well; its front page says how to add the app.
run: ## build what is missing and serve
	-cargo xtask ui
	cargo run --release -- serve

demo: ## try it out: sample feeds, a temporary directory, one link to open
	-cargo xtask ui
	cargo run --release -- demo $(ARGS)

ui: ## build the web app into ui/dist (needs Node 20 and npm)
	cargo xtask ui

e2e: ## drive the program with a browser; ARGS="--only keyboard" for one file (needs Chromium)
	cargo xtask ui e2e $(ARGS)

screenshots: ## take pictures of every screen; ARGS="--docs" for those of the README (needs Chromium)
	cargo xtask ui screenshots $(ARGS)

test: ## run all tests with their services; ARGS="-p store" for some (installs packages on Debian, as root)
	cargo xtask setup
	$(if $(ARGS),,cargo xtask ui test)
	cargo xtask test -- $(ARGS)
	$(if $(ARGS),,cargo xtask ui e2e)

lint: ## formatting, clippy, house rules, licences
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo xtask tidy
	cargo xtask licences

fmt: ## format the code
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml

# Each crate keeps its benchmarks in its own benches/; this runs those that have a bar to meet and collects their figures.
bench: ## measure against the bars and the peers; ARGS="--quick" for a short look, "--keep" for docs/operate
	cargo xtask setup
	cargo xtask bench -- $(ARGS)

# SEED, SEEDS, KILLS, RESTARTS, POINTS, NORMALS, ROUNDS, TRICKS and EACH reach the scenarios by environment.
chaos: ## break things on purpose, at length; ARGS="kills" for one scenario, SEED=n to see it again
	cargo bench -p courant --bench chaos --no-run
	cargo xtask services -- cargo bench -p courant --bench chaos -- $(ARGS)

# The same targets run for a moment inside `make test`. Coverage-guided targets are in fuzz/.
fuzz: ## feed the parsers garbage; SECONDS=600 for longer
	FUZZ_SECONDS=$(or $(SECONDS),60) cargo test --release -p syndication -p policy -p content -p http_semantics fuzz
