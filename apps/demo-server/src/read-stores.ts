import { TroupeError } from "@troupe/core";

type Variables = Readonly<Record<string, string | undefined>>;

/** A server that holds data of the demo: the URL to connect to, and the part of it that may be printed. */
export type ServerAddress = { readonly url: string; readonly shown: string };

/** The adapters that the environment selects. Without a server, storage and vectors are in the SQLite file. */
export type StoreChoice = {
  readonly storage?: { readonly kind: "postgres" | "mongodb"; readonly address: ServerAddress };
  readonly vectors?: { readonly kind: "pgvector" | "mongodb" | "qdrant"; readonly address: ServerAddress };
  readonly qdrantKey?: string;
  readonly redis?: ServerAddress;
  /** The database through which several servers share the runs. Undefined if this process performs them alone. */
  readonly engine?: { readonly kind: "postgres" | "redis"; readonly address: ServerAddress };
};

/** The supported URL protocols of each database variable, with an example. */
const servers = {
  DATABASE_URL: { protocols: ["postgres", "postgresql"], example: "postgres://user:password@localhost:5432/demo" },
  MONGODB_URL: { protocols: ["mongodb", "mongodb+srv"], example: "mongodb://localhost:27017/demo" },
  QDRANT_URL: { protocols: ["http", "https"], example: "http://localhost:6333" },
  REDIS_URL: { protocols: ["redis", "rediss"], example: "redis://localhost:6379" },
} as const;

/**
 * Reads DATABASE_URL, MONGODB_URL, QDRANT_URL and REDIS_URL. Throws `invalid_config` for a URL whose protocol no
 * adapter supports, and if both DATABASE_URL and MONGODB_URL are set.
 */
export function readStores(variables: Variables): StoreChoice {
  const [postgres, mongodb] = [readUrl(variables, "DATABASE_URL"), readUrl(variables, "MONGODB_URL")];
  const [qdrant, redis] = [readUrl(variables, "QDRANT_URL"), readUrl(variables, "REDIS_URL")];
  if (postgres !== undefined && mongodb !== undefined) {
    throw wrong("DATABASE_URL and MONGODB_URL are both set. Sessions are stored in one of them: unset the other.");
  }
  const qdrantKey = variables["QDRANT_API_KEY"] ?? "";
  return {
    ...(postgres && {
      storage: { kind: "postgres", address: postgres },
      vectors: { kind: "pgvector", address: postgres },
    }),
    ...(mongodb && { storage: { kind: "mongodb", address: mongodb }, vectors: { kind: "mongodb", address: mongodb } }),
    ...(qdrant && { vectors: { kind: "qdrant", address: qdrant } }),
    ...(qdrant && qdrantKey !== "" && { qdrantKey }),
    ...(redis && { redis }),
    ...engineOver(postgres, redis),
  };
}

/**
 * Chooses the engine's database: PostgreSQL if both it and Redis are configured, because it already stores the runs and
 * is backed up.
 */
function engineOver(
  postgres: ServerAddress | undefined,
  redis: ServerAddress | undefined,
): Pick<StoreChoice, "engine"> {
  if (postgres !== undefined) return { engine: { kind: "postgres", address: postgres } };
  return redis === undefined ? {} : { engine: { kind: "redis", address: redis } };
}

function readUrl(variables: Variables, name: keyof typeof servers): ServerAddress | undefined {
  const url = (variables[name] ?? "").trim();
  if (url === "") return undefined;
  const { protocols, example } = servers[name];
  const [, protocol = "", rest = ""] = /^([a-z][a-z\d+.-]*):\/\/(.+)$/is.exec(url) ?? [];
  const known: readonly string[] = protocols;
  const isUrl = protocol !== "" && isReadable(url, name);
  if (isUrl && known.includes(protocol.toLowerCase())) return { url, shown: `${protocol}://${withoutSecrets(rest)}` };
  // A URL without a protocol is not shown, because it may begin with a user and a password.
  const problem = isUrl ? `begins with ${protocol}://, for which the demo has no adapter` : "is no URL";
  const wanted = known.map((each) => `${each}://`).join(" or ");
  throw wrong(`${name} ${problem}. Expected ${wanted}, such as ${example}.`);
}

/** Returns true if a URL is valid. URLs of databases may list several hosts, so their clients check them. */
function isReadable(url: string, name: keyof typeof servers): boolean {
  return name !== "QDRANT_URL" || URL.canParse(url);
}

/**
 * Removes user, password and parameters from a URL. Cuts at the last @, because a password may contain an unencoded @.
 */
function withoutSecrets(rest: string): string {
  return rest.replace(/^.*@/s, "").replace(/[?#].*$/s, "");
}

function wrong(sentence: string): TroupeError {
  return new TroupeError("invalid_config", sentence);
}
