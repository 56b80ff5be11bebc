// Command iso loads reference data into a running Keypact and answers questions
// from it: the countries, languages and subdivisions of Debian's iso-codes and
// the words of its wamerican. Everything goes through HTTP, under the contracts
// of contracts.yaml beside this file.
//
//	keypact serve --data ./iso-data --contracts examples/iso/contracts.yaml &
//	go run ./examples/iso
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	url := flag.String("url", "http://127.0.0.1:8080", "address of the service")
	codes := flag.String("codes", "/usr/share/iso-codes/json", "folder of iso-codes' JSON files")
	words := flag.String("words", "/usr/share/dict/american-english", "word list, a word a line")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, client{base: *url}, *codes, *words, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "iso:", err)
		stop()
		os.Exit(1)
	}
}

// run loads everything and asks everything.
func run(ctx context.Context, c client, codes, words string, out io.Writer) error {
	if err := load(ctx, c, codes, words); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	for _, q := range questions {
		answer, err := q.ask(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", q.text, err)
		}
		if _, err := fmt.Fprintf(out, "%s\n  %s\n", q.text, answer); err != nil {
			return err
		}
	}
	return nil
}
