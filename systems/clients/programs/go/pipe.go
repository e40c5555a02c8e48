// Observes the lines of standard input, in batches, with a detector of `firstseen pipe`, and prints those seen for the first time.
// Use: pipe COMMAND..., such as pipe firstseen pipe
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
)

const hello, create, observe, failure = 0, 1, 5, 255

type header struct {
	Length            uint32
	Kind, Reserved    uint16
	Request, Detector uint32
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func write(child io.Writer, kind uint16, body []byte) {
	frame := must(binary.Append(nil, binary.LittleEndian, header{uint32(len(body)), kind, 0, 1, 1}))
	must(child.Write(append(frame, body...)))
}

func read(child io.Reader) []byte {
	var head header
	if err := binary.Read(child, binary.LittleEndian, &head); err != nil {
		log.Fatal(err)
	}
	body := make([]byte, head.Length)
	must(io.ReadFull(child, body))
	if head.Kind == failure {
		log.Fatalf("refused: %s", body)
	}
	return body
}

func keys(lines []string) []byte {
	offsets := []uint32{0, uint32(len(lines)), 0}
	for _, line := range lines {
		offsets = append(offsets, offsets[len(offsets)-1]+uint32(len(line)))
	}
	body := must(binary.Append(nil, binary.LittleEndian, offsets))
	return append(body, strings.Join(lines, "")...)
}

func main() {
	child := exec.Command(os.Args[1], os.Args[2:]...)
	child.Stderr = os.Stderr
	requests, answers := must(child.StdinPipe()), bufio.NewReader(must(child.StdoutPipe()))
	must(0, child.Start())
	if greeting := string(read(answers)); !strings.Contains(greeting, `"protocol":1,`) {
		log.Fatalf("another protocol: %s", greeting)
	}
	write(requests, create, []byte(`{"options":{"memory":"1MiB"}}`))
	read(answers)
	lines := strings.Split(strings.TrimSuffix(string(must(io.ReadAll(os.Stdin))), "\n"), "\n")
	write(requests, observe, keys(lines))
	for i, verdict := range read(answers) {
		if verdict == 0 {
			fmt.Println(lines[i])
		}
	}
	requests.Close()
	must(0, child.Wait())
}
