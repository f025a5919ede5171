import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { QdrantFailures } from "./qdrant-failure.ts";
import type { QdrantSettings } from "./qdrant-options.ts";
import { registryOf } from "./collection-registry.ts";

/**
 * The first version of Qdrant that can store a point only if it does not exist, and that stores metadata of
 * collections.
 */
const oldestVersion = { major: 1, minor: 16 };

/**
 * Makes a Qdrant client, and checks that the server answers, accepts the API key and is new enough. Warns if the key is
 * sent without encryption to another machine.
 */
export async function openQdrant(
  { url, apiKey, timeoutMs, prefix }: QdrantSettings,
  { failures, logger }: { failures: QdrantFailures; logger: Logger },
): Promise<QdrantClient> {
  const address = new URL(url);
  if (apiKey !== undefined && address.protocol === "http:" && !isLoopback(address.hostname)) {
    const sentence = "The API key is sent without encryption. Use an address that begins with https://.";
    logger.warn(sentence);
  }
  const { QdrantClient } = await import("@qdrant/js-client-rest");
  const client = new QdrantClient({
    url: address.origin,
    port: portOf(url),
    prefix: address.pathname.replace(/\/+$/, ""),
    // The key is sent as a header, because Qdrant's library warns on the console about its own option with http://.
    ...(apiKey !== undefined && { headers: { "api-key": apiKey } }),
    timeout: timeoutMs,
    // The version check of Qdrant's library would print to the console too.
    checkCompatibility: false,
  });
  try {
    checkVersion((await client.versionInfo()).version);
    await client.collectionExists(registryOf(prefix));
    return client;
  } catch (error) {
    throw failures.from(error);
  }
}

function checkVersion(version: unknown): void {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(String(version)) ?? [];
  if (major === undefined) {
    const sentence = "The server at url does not answer as Qdrant does. Check url.";
    throw new TroupeError("storage_unavailable", sentence);
  }
  const isOld =
    Number(major) < oldestVersion.major ||
    (Number(major) === oldestVersion.major && Number(minor) < oldestVersion.minor);
  if (!isOld) return;
  const sentence = `Qdrant must be of version ${oldestVersion.major}.${oldestVersion.minor} or later, got ${major}.${minor}.`;
  throw new TroupeError("invalid_config", sentence);
}

/**
 * Returns the port in Qdrant's address, also a default port, which `URL` drops. Without a port, returns Qdrant's own.
 */
function portOf(url: string): number {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(url.trim()) ?? [];
  return port === undefined ? 6333 : Number(port);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}
