// Names of months in English.

/** The first three letters of each month in lowercase, as the bytes of a little-endian word. */
export function monthLetters(month: i32): u32 {
  switch (month) {
    case 1:
      return 0x6e616a;
    case 2:
      return 0x626566;
    case 3:
      return 0x72616d;
    case 4:
      return 0x727061;
    case 5:
      return 0x79616d;
    case 6:
      return 0x6e756a;
    case 7:
      return 0x6c756a;
    case 8:
      return 0x677561;
    case 9:
      return 0x706573;
    case 10:
      return 0x74636f;
    case 11:
      return 0x766f6e;
    default:
      return 0x636564;
  }
}
