// What becomes of new elements once a detector is full. The page of the server imports it too, so it imports nothing.

/**
 * They are refused; more and more of them are reported duplicate; they pass and are not stored, so that their repeats pass; or they replace
 * older ones, whose repeats pass. The last is what a detector that forgets is made for.
 */
export type WhenFull = 'refuses' | 'misreports' | 'shortens' | 'forgets';
