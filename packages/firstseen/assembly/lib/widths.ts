// Slot widths as types: code compiled for one of them has all sizes and offsets as constants.

import { CACHE_LINE_BYTES } from './cachelines';

/** The layout of a cache line of slots of one width. */
export abstract class Width {
  /** Whole bytes of a slot. */
  abstract bytes(): u32;
  /** Remaining bits of a slot, 0 to 7. */
  abstract bits(): u32;
  /** Slots of a cache line. */
  abstract slots(): u32;
}

/** An integer as a type. */
export abstract class Count {
  abstract value(): u32;
}

export class Count0 extends Count {
  value(): u32 {
    return 0;
  }
}

export class Count1 extends Count {
  value(): u32 {
    return 1;
  }
}

export class Count2 extends Count {
  value(): u32 {
    return 2;
  }
}

export class Count3 extends Count {
  value(): u32 {
    return 3;
  }
}

export class Count4 extends Count {
  value(): u32 {
    return 4;
  }
}

export class Count5 extends Count {
  value(): u32 {
    return 5;
  }
}

export class Count6 extends Count {
  value(): u32 {
    return 6;
  }
}

export class Count7 extends Count {
  value(): u32 {
    return 7;
  }
}

/** A width of `Bytes` whole bytes and `Bits` bits. */
export class FixedWidth<Bytes extends Count, Bits extends Count> extends Width {
  bytes(): u32 {
    return changetype<Bytes>(0).value();
  }

  bits(): u32 {
    return changetype<Bits>(0).value();
  }

  /**
   * Eight slots take as many bytes as one has bits. In the rest of the cache line, each bit plane takes one byte and each
   * slot its whole bytes.
   */
  slots(): u32 {
    const bytes = changetype<Bytes>(0).value();
    const bits = changetype<Bits>(0).value();
    const left = CACHE_LINE_BYTES % (8 * bytes + bits);
    return 8 * (CACHE_LINE_BYTES / (8 * bytes + bits)) + (left > bits ? (left - bits) / bytes : 0);
  }
}

/**
 * The same, with as many slots as a cache line has bits for. It does not extend the class above, because a method that is
 * overridden would be virtual.
 */
export class FullWidth<Bytes extends Count, Bits extends Count> extends Width {
  bytes(): u32 {
    return changetype<Bytes>(0).value();
  }

  bits(): u32 {
    return changetype<Bits>(0).value();
  }

  slots(): u32 {
    return (CACHE_LINE_BYTES * 8) / (8 * changetype<Bytes>(0).value() + changetype<Bits>(0).value());
  }
}
