// The engine that matches patterns. It is a module of its own, so that it is bundled once (tools/build/bundle.mjs).

export { RE2JS } from 're2js';
