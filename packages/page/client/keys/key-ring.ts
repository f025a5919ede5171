import type { StoredValue } from "../ui/browser-storage.ts";
import { Store } from "../ui/store.ts";

/** The vendors whose keys a request for a run may carry, each in a header of its own. */
export const vendors = [
  { id: "openai", name: "OpenAI", header: "x-openai-api-key" },
  { id: "anthropic", name: "Anthropic", header: "x-anthropic-api-key" },
  { id: "google", name: "Google", header: "x-google-api-key" },
] as const;

/** The id of a vendor. */
export type VendorId = (typeof vendors)[number]["id"];

type Keys = Partial<Record<VendorId, string>>;

/** The vendors that have a key, and whether keys outlive a reload. Never a key. */
export type KeyState = {
  readonly present: readonly VendorId[];
  readonly isKept: boolean;
  /** True when keys are to be kept and the browser refuses to store them. */
  readonly isRefused: boolean;
};

/**
 * The vendor keys of the person at the page. They are in memory, and leave it as headers of requests for runs alone. Kept on
 * demand, they outlive a reload of this tab, and are gone when it is closed.
 */
export class KeyRing extends Store<KeyState> {
  #keys: Keys;
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    const kept = stored.read(isKeys);
    super({ present: presentIn(kept ?? {}), isKept: kept !== undefined, isRefused: false });
    this.#keys = kept ?? {};
    this.#stored = stored;
  }

  /** Takes the key of a vendor. Without one, the vendor's key is forgotten. */
  put(vendor: VendorId, key: string | undefined): void {
    const { [vendor]: _, ...others } = this.#keys;
    this.#keys = key === undefined ? others : { ...others, [vendor]: key };
    this.#keep(this.state.isKept);
  }

  /** Keeps the keys for reloads of this tab, or forgets what is kept at once. */
  keep(isKept: boolean): void {
    this.#keep(isKept);
  }

  /** The header of each vendor that has a key. */
  headers(): Record<string, string> {
    return Object.fromEntries(
      vendors.flatMap(({ id, header }) => {
        const key = this.#keys[id];
        return key === undefined ? [] : [[header, key]];
      }),
    );
  }

  #keep(isKept: boolean): void {
    const isWritten = this.#stored.write(isKept ? this.#keys : undefined);
    // Keys that were stored before are not to outlive those of now.
    if (!isWritten) this.#stored.write(undefined);
    this.set({ present: presentIn(this.#keys), isKept: isKept && isWritten, isRefused: isKept && !isWritten });
  }
}

/** Returns what is wrong with a key that was entered, in a sentence, or nothing. */
export function faultOfKey(key: string): string | undefined {
  if (/^[!-~]{1,16384}$/.test(key)) return undefined;
  return key === "" ? "Enter a key." : "A key has no spaces, line breaks or special letters. Copy it again.";
}

function presentIn(keys: Keys): VendorId[] {
  return vendors.flatMap(({ id }) => (keys[id] === undefined ? [] : [id]));
}

function isKeys(value: unknown): value is Keys {
  if (typeof value !== "object" || value === null) return false;
  const known: readonly string[] = vendors.map(({ id }) => id);
  return Object.entries(value).every(
    ([vendor, key]) => known.includes(vendor) && typeof key === "string" && faultOfKey(key) === undefined,
  );
}
