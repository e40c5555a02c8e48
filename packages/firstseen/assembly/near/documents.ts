// Batches of documents that threads sign side by side.

export { documentsConfigure } from './documents/batch';
