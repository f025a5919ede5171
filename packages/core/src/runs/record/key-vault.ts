import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkApiKey } from "../../model/keys/api-keys.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RunKeys } from "./run-view.ts";

/**
 * Module state on purpose: services over one storage in memory perform each other's runs and must share their keys.
 * Weak, so that the keys are freed with their storage.
 */
const heldKeys = new WeakMap<StorageDriver, Map<string, RunKeys>>();

/**
 * The API keys of callers from the acceptance of a run to its end. They are sealed in the run's record with
 * AES-256-GCM. Without seal keys they stay in the memory of the process, if the storage is in memory too.
 */
export class KeyVault {
  readonly #storage: StorageDriver;
  readonly #secrets: readonly string[];
  readonly #takesKeys: boolean;

  /** Makes a vault. `secrets`: the seal keys, or `false` to reject callers' keys. */
  constructor(storage: StorageDriver, secrets: readonly string[] | false = []) {
    this.#storage = storage;
    this.#secrets = secrets === false ? [] : secrets;
    this.#takesKeys = secrets !== false;
  }

  /** True if the treatment of callers' keys is configured: they can be sealed, or they are rejected. */
  get isSettled(): boolean {
    return this.canSeal || !this.#takesKeys;
  }

  /**
   * Returns the sealed keys of a caller for the run's record: `""` if they stay in memory, `undefined` without keys.
   * Throws `invalid_request` for wrong keys, and for keys that this vault does not accept.
   */
  seal(runId: string, given: RunKeys | undefined): string | undefined {
    const keys = checkKeys(given);
    if (keys === undefined) return undefined;
    if (!this.#takesKeys) throw takesNoKeys();
    const [secret] = this.#secrets;
    if (secret !== undefined) return `${idOf(secret)}.${encrypt(secret, runId, JSON.stringify(keys))}`;
    if (!(this.#storage instanceof InMemoryStorage)) throw noSealKeys();
    this.#held().set(runId, keys);
    return "";
  }

  /** Returns the keys of a run from the sealed keys in its record; `null` if this process cannot open them. */
  open(runId: string, sealed: string | undefined): RunKeys | null {
    if (sealed === undefined) return {};
    if (sealed === "") return this.#held().get(runId) ?? null;
    for (const secret of this.#secrets) {
      const text = decrypt(secret, runId, sealed.slice(sealed.indexOf(".") + 1));
      if (text !== undefined) return JSON.parse(text) as RunKeys;
    }
    return null;
  }

  /** Ids of the seal keys, from which other processes see which records this process can open. */
  get sealIds(): string[] {
    return this.#secrets.map(idOf);
  }

  /**
   * Returns the id of the seal key that opens the sealed keys of a run's record: `""` for keys in memory, `undefined`
   * without keys.
   */
  sealIdOf(sealed: string | undefined): string | undefined {
    return sealed === undefined ? undefined : sealed.slice(0, Math.max(0, sealed.indexOf(".")));
  }

  /**
   * True if a text can be sealed: there is a seal key, or the storage is in memory and lasts no longer than the
   * process.
   */
  get canSeal(): boolean {
    return this.#secrets.length > 0 || this.#storage instanceof InMemoryStorage;
  }

  /**
   * Encrypts a secret text for one place, a string that names the record of the text: with another place the text
   * cannot be opened. With storage in memory and without seal keys the text stays unchanged.
   */
  sealText(place: string, text: string): string {
    const [secret] = this.#secrets;
    if (secret !== undefined) return encrypt(secret, place, text);
    if (!this.canSeal) throw noSealKeys();
    return `.${text}`;
  }

  /** Decrypts a text from `sealText`; undefined if this process cannot open it. */
  openText(place: string, sealed: string): string | undefined {
    if (sealed.startsWith(".")) return sealed.slice(1);
    for (const secret of this.#secrets) {
      const text = decrypt(secret, place, sealed);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Drops the keys that this process holds for a run. */
  forget(runId: string): void {
    heldKeys.get(this.#storage)?.delete(runId);
  }

  #held(): Map<string, RunKeys> {
    const held = heldKeys.get(this.#storage) ?? new Map<string, RunKeys>();
    heldKeys.set(this.#storage, held);
    return held;
  }
}

function checkKeys(given: RunKeys | undefined): RunKeys | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given)) throw new TroupeError("invalid_request", "keys must be an object with apiKeys or apiKey.");
  const { apiKey, apiKeys = {} } = given;
  if (!isRecord(apiKeys))
    throw new TroupeError("invalid_request", "keys.apiKeys must be an object with a key per vendor.");
  const entries = Object.entries(apiKeys).filter(([, key]) => key !== undefined);
  const checked = Object.fromEntries(
    entries.map(([name, key]) => [name, checkApiKey(key, `keys.apiKeys.${name.slice(0, 64)}`)]),
  );
  if (apiKey === undefined && entries.length === 0) return undefined;
  return { apiKeys: checked, ...(apiKey !== undefined && { apiKey: checkApiKey(apiKey, "keys.apiKey") }) };
}

const algorithm = "aes-256-gcm";

/** Encrypts a text for one place, such as a run: it cannot be opened in another run's record. */
function encrypt(secret: string, place: string, text: string): string {
  const { createCipheriv, randomBytes } = process.getBuiltinModule("node:crypto");
  const iv = randomBytes(12);
  const cipher = createCipheriv(algorithm, keyOf(secret), iv);
  cipher.setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

function decrypt(secret: string, place: string, sealed: string): string | undefined {
  const { createDecipheriv } = process.getBuiltinModule("node:crypto");
  const bytes = Buffer.from(sealed, "base64url");
  try {
    const decipher = createDecipheriv(algorithm, keyOf(secret), bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * Returns a short hash of a secret, which is stored as the id of the key. The encryption key is derived differently.
 */
function idOf(secret: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", `troupe seal id\n${secret}`).slice(0, 8);
}

function keyOf(secret: string): Buffer {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(`troupe run keys\n${secret}`).digest();
}

/** Makes the error for the client of a service with `sealKeys: false`. */
function takesNoKeys(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "This run is stored, and API keys of callers are not. Send the request without an API key.",
  );
}

function noSealKeys(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "A durable run with API keys of its caller would store them. Give the RunService sealKeys, with which they are encrypted, or send no keys.",
  );
}
