CC ?= gcc
SOURCES := $(wildcard src/*.c)
include config.mk

.PHONY: all clean

# Everything.
all: app docs
	@echo done

app: $(SOURCES:.c=.o)
	$(CC) -o $@ $^

%.o: %.c
	$(CC) -c $< -o $@

define banner
@echo "== $(1) =="
@date
endef

ifeq ($(DEBUG),1)
debug: app
	gdb ./app
endif

clean:
	rm -f app *.o

empty: all
