// Batches of documents that threads sign side by side.

export { documentsConfigure, SIGNED_COUNT_BYTES } from './documents/batch';
