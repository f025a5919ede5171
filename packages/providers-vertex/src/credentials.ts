import { toModelError } from "@troupe-internal/gemini";
import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, sharedHttpPool, untilAborted } from "@troupe/core/adapter";
import { isAuthClient } from "./check-vertex-options.ts";
import type { AuthClient, ServiceAccount } from "./vertex-options.ts";

const scopes = ["https://www.googleapis.com/auth/cloud-platform"];

/** Given credentials, or the project for which Google's library looks for some. */
type CredentialsSource = {
  credentials?: ServiceAccount | AuthClient | undefined;
  project?: string | undefined;
};

/**
 * The Google Cloud credentials of a model, which authenticate its requests: the given ones, else Google's Application
 * Default Credentials. Concurrent calls share one request for a token.
 */
export class Credentials {
  readonly #source: CredentialsSource;
  readonly #url: string;
  #client: Promise<AuthClient> | undefined;

  constructor(source: CredentialsSource, url: string) {
    this.#source = source;
    this.#url = url;
  }

  /** Returns the headers that authenticate a request. */
  async headers(signal: AbortSignal | undefined): Promise<Record<string, string>> {
    const loading = (this.#client ??= loadClient(this.#source));
    const client = await untilAborted(() => loading, signal).catch((cause: unknown) => {
      // The next call tries again.
      this.#client = undefined;
      throw signal?.aborted ? abortedError(signal.reason) : noCredentials(cause);
    });
    try {
      return Object.fromEntries(new Headers(await untilAborted(() => client.getRequestHeaders(this.#url), signal)));
    } catch (thrown) {
      throw toTokenError(thrown, signal);
    }
  }
}

/** Loads Google's library for credentials, unless a client is given. Its requests use the shared HTTP pool. */
async function loadClient({ credentials: given, project }: CredentialsSource): Promise<AuthClient> {
  if (given !== undefined && isAuthClient(given)) return given;
  const { GoogleAuth, JWT } = await import("google-auth-library");
  const transporterOptions = { fetchImplementation: sendPooled };
  if (given !== undefined) {
    return new JWT({ email: given.client_email, key: given.private_key, scopes, transporterOptions });
  }
  // Without a project, the library looks for one in many places, and waits for timeouts.
  const named = project === undefined ? {} : { projectId: project };
  return await new GoogleAuth({ scopes, ...named, clientOptions: { transporterOptions } }).getClient();
}

async function sendPooled(...request: Parameters<typeof fetch>): Promise<Response> {
  return await sharedHttpPool().fetch(...request);
}

function noCredentials(cause: unknown): TroupeError {
  return new TroupeError(
    "unauthorized",
    "vertex found no credentials: pass credentials or an API key, or set up Application Default Credentials.",
    { cause, fields: { vendor: "vertex" } },
  );
}

/** Converts an error of fetching a token. A refused one is like a refused key of the server. */
function toTokenError(thrown: unknown, signal: AbortSignal | undefined): TroupeError {
  const call = { providerId: "vertex", key: undefined, signal };
  const { status } = (thrown ?? {}) as { status?: unknown };
  if (signal?.aborted || typeof status !== "number") return toModelError(thrown, call);
  return new ModelError({ ...call, status: status === 400 ? 401 : status, cause: thrown });
}
