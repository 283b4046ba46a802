# Each target makes .venv and installs what it needs on first use.
# PYTHON=python3.12 chooses an interpreter; otherwise the first of these that is 3.10 or newer.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	&& echo $$p && break; done)
TRAIN := train-generator-begun train-generator-grown train-generator-third train-generator-fourth \
	train-generator-fifth train-generator-sixth train-generator \
	train-classifier train-classifier-bag train-tiny-generator train-tiny-unmasked \
	train-dates-begun train-dates-longer train-dates-hard train-dates \
	train-gpt-begun train-gpt-longer train-gpt-third train-gpt-fourth train-gpt-fifth train-gpt-sixth train-gpt \
	train-modern-begun train-modern \
	train-xl-begun train-xl-longer train-xl \
	train-sparse-begun train-sparse train-bert-begun train-bert train-bert-films train-bert-reviews
unexport PYTHONDONTWRITEBYTECODE # each process that the tests start would compile the project anew
PIP := .venv/bin/python -m pip install --quiet --disable-pip-version-check

.PHONY: app test test-machines check bench bench-train bench-app bench-crowd space clean $(TRAIN)

app: .venv/app ## open the app on http://127.0.0.1:7860
	.venv/bin/python app.py

test: .venv/dev ## run the tests
	.venv/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-machines: .venv/dev ## the numerical tests as other processors would compute them; MACHINES="oldest threads" names some
	.venv/bin/python -m tests.machines $(MACHINES)

check: .venv/dev ## lint, format and types of Python and of the page's scripts
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/pyright
	.venv/bin/biome check --error-on-warnings
	.venv/bin/deno check --config viz/deno.json viz tests
	.venv/bin/deno check --config viz/strict.json viz/browser # no parameter without a type

bench: .venv/dev ## the library beside its peers and the machine's limits, sparse attention beside dense, the shapes of GPT-2, BERT and SmolLM2: about 15 minutes
	failed=; for each in library sparse pretrained patching; do .venv/bin/python -m tests.bench.$$each || failed="$$failed $$each"; done; \
	test -z "$$failed" || { echo "a bar is missed:$$failed"; exit 1; }

bench-train: .venv/dev ## the trainer beside plain PyTorch: tokens a second, on a GPU where there is one
	.venv/bin/python -m tests.bench.training

bench-app: .venv/dev ## the app in Chromium beside an empty page and a bare capture, and 30 visitors at once
	.venv/bin/python -m tests.bench.app

bench-crowd: .venv/dev ## 60 pages that follow a room, 33 at once, a greedy client, then 20 visitors for 20 minutes; REPLICAS=2 instead: followers, readers and writers of one process and of two
	.venv/bin/python -m tests.bench.$(if $(REPLICAS),replicas --replicas $(REPLICAS),crowd)

space: .venv/app ## send the app to the Hugging Face Space SPACE=user/name; MODELS="ID ..." shows more models there, TORCH_INDEX=URL names an index of CPU wheels
	@.venv/bin/python -m viz.server.space "$(SPACE)" $(if $(MODELS),--models "$(MODELS)") $(if $(TORCH_INDEX),--torch-index "$(TORCH_INDEX)")

train-generator: train-generator-sixth
train-generator-sixth: train-generator-fifth
train-generator-fifth: train-generator-fourth
train-generator-fourth: train-generator-third
train-generator-third: train-generator-grown
train-generator-grown: train-generator-begun
train-dates: train-dates-hard
train-dates-hard: train-dates-longer
train-dates-longer: train-dates-begun
train-gpt: train-gpt-sixth
train-gpt-sixth: train-gpt-fifth
train-gpt-fifth: train-gpt-fourth
train-gpt-fourth: train-gpt-third
train-gpt-third: train-gpt-longer
train-gpt-longer: train-gpt-begun
train-modern: train-modern-begun
train-xl: train-xl-longer
train-xl-longer: train-xl-begun
train-xl-begun: train-generator-begun
train-sparse: train-sparse-begun
train-bert: train-bert-begun
train-bert-films: train-bert-begun
train-bert-reviews: train-bert-films
$(TRAIN): train-%: .venv/dev ## train a model of checkpoints/ again; DATA=FILE names the corpus, else it is fetched
	.venv/bin/python -m former.training train $* $(if $(DATA),--data $(DATA))

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed and none was found; name one: make app PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 15))' || \
	echo "$(PYTHON) is newer than 3.14, the newest tried; should it fail, name an older one: make app PYTHON=python3.14"
	$(PYTHON) -m venv .venv || { rm -rf .venv; \
	echo "On Debian, first: sudo apt install python3-venv"; exit 1; }

.venv/app: requirements.txt | .venv/bin/python
	$(PIP) -r requirements.txt
	@touch $@

.venv/dev: requirements.txt requirements-dev.txt | .venv/bin/python
	$(PIP) -r requirements.txt -r requirements-dev.txt
	@touch $@ .venv/app

clean:
	rm -rf .venv
