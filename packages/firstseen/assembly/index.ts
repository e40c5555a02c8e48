export * from './compact';
export {
  FINGERPRINT_IDENTITY,
  FINGERPRINT_RABIN,
  FINGERPRINT_SIPHASH,
  FINGERPRINT_XXH64,
  fingerprintInteger,
  fingerprintKey,
  KEY_PLACES,
} from './lib/fingerprint';
export * from './lib/memory';
export * from './scan';
export * from './snapshot';
export * from './touch';
export * from './witness';
