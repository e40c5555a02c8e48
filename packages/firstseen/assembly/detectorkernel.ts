// What a detector of a program needs besides the families. The families and these functions are a kernel of their own, so that a bundle of
// `create` has nothing that scans records or compares documents.

export { fingerprintInteger, fingerprintKey, fingerprintKeys, fingerprintSpans } from './lib/fingerprint';
export { homeEnter, homeLeave } from './lib/home';
export { measureTexts } from './lib/texts';
export * from './partitions';
export * from './snapshot';
export * from './witness';
