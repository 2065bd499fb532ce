# The front door: thin targets over tools/ and CMake.
#
#   make           builds; the programs end up in build/bin/
#   make bench     installs what is missing, builds, and measures every client library found here
#   make test      installs what is missing, builds, and runs every test that this machine can run
#   make test-all  the same with soaks, long fuzzing and the slow sanitizers
#   make install   PREFIX=/usr/local by default, DESTDIR as usual
#   make clean     removes the build folders

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

.PHONY: all build bench bench-floor test test-all install format clean help

all:
	@tools/setup --check build
	@$(MAKE) --no-print-directory build

build:
	@tools/build $(BUILD) $(JOBS)

bench:
	@tools/setup bench
	@$(MAKE) --no-print-directory build
	@tools/setup-peers $(BUILD)
	@cd $(BUILD) && bin/rclbench

bench-floor:
	@tools/setup bench
	@$(MAKE) --no-print-directory build
	@benchmarks/floor $(BUILD)

test:
	@tools/setup test
	@tools/run-tests $(BUILD) $(JOBS)

test-all:
	@tools/setup test
	@tools/run-tests --all $(BUILD) $(JOBS)

install:
	@tools/setup --check build
	@$(MAKE) --no-print-directory build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitizers $(BUILD)-tsan

help:
	@sed -n 's/^#   //p' Makefile
