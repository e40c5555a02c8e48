// What becomes of new elements once a detector is full. The page of the server imports it too, so it imports nothing.

/**
 * They are refused; more and more of them are reported duplicate; they take the places of the oldest, which leave a window in time
 * early; or they replace older ones. Repeats of what left pass. The last is what a detector that forgets is made for.
 */
export type WhenFull = 'refuses' | 'misreports' | 'shortens' | 'forgets';
