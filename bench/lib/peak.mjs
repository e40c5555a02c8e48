// Imported into a process to measure it: when the process ends, writes its peak resident set size in bytes to the file
// that PEAK_MEMORY_FILE names.

import { readFileSync, writeFileSync } from 'node:fs';

function peakBytes() {
  // On Linux, the resource usage of a process includes that of its parent before the start; this number does not.
  if (process.platform === 'linux') {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kibibytes) * 1024;
  }
  return process.resourceUsage().maxRSS * 1024;
}

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(peakBytes())));
