# The front door: thin targets over CMake. `make help` lists them.
BUILD ?= build

.PHONY: all setup bench test test-all install clean help

all: setup
	@cmake -S . -B $(BUILD) --log-level=WARNING -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo
	@cmake --build $(BUILD)
