#!/usr/bin/env node
// npm links the command before the build has written dist/, so the linked file is one that is always there.
import '../dist/cli/main.js';
