// Imported into a process to be measured: when the process ends, its largest resident set is written to the file that
// PEAK_MEMORY_FILE names, in bytes.

import { readFileSync, writeFileSync } from 'node:fs';

function peakBytes() {
  // On Linux the resource usage of a process begins with that of the one that started it; this number does not.
  if (process.platform === 'linux') {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kibibytes) * 1024;
  }
  return process.resourceUsage().maxRSS * 1024;
}

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(peakBytes())));
