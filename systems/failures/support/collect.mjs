// Loaded into a server by `--import`: at SIGUSR2 it collects garbage and writes how much memory it has, because what is garbage tells nothing.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  // What the first pass frees outside of the heap is counted after the second one.
  collect();
  collect();
  process.stdout.write(`collected: ${process.memoryUsage.rss()}\n`);
});
