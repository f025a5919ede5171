import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, untilAborted } from "@troupe/core/kit";
import { toModelError } from "@troupe/core/provider";
import type { Network } from "@troupe/core/kit";
import { isAuthClient, projectPattern, providerId } from "./options.ts";
import type { AuthClient, CloudOptions } from "./options.ts";

const scopes = ["https://www.googleapis.com/auth/cloud-platform"];

/** A client that makes headers, and a function that looks up the project of the credentials. */
type FoundClient = { client: AuthClient; findProject: () => Promise<string | null | undefined> };

type CredentialSettings = Pick<CloudOptions, "credentials" | "project"> & { network: Network };

/**
 * The Google Cloud credentials of a provider, which authenticate its requests: the given credentials, else Google's
 * Application Default Credentials. Concurrent calls share one token request.
 */
export class Credentials {
  readonly #settings: CredentialSettings;
  #found: Promise<FoundClient> | undefined;

  constructor(settings: CredentialSettings) {
    this.#settings = settings;
  }

  /** Returns the headers that authenticate a request to the URL. */
  async headers(url: string, signal: AbortSignal | undefined): Promise<Record<string, string>> {
    const { client } = await this.#find(signal);
    try {
      return Object.fromEntries(new Headers(await untilAborted(() => client.getRequestHeaders(url), signal)));
    } catch (thrown) {
      throw toTokenError(thrown, signal);
    }
  }

  /** Returns the project to which the credentials belong. Throws `unauthorized` if the credentials name no project. */
  async findProject(signal: AbortSignal | undefined): Promise<string> {
    const { findProject } = await this.#find(signal);
    const project = await untilAborted(findProject, signal).catch((cause: unknown) => {
      throw signal?.aborted ? abortedError(signal.reason) : noProject(cause);
    });
    if (typeof project === "string" && projectPattern.test(project)) return project;
    throw noProject(undefined);
  }

  async #find(signal: AbortSignal | undefined): Promise<FoundClient> {
    const finding = (this.#found ??= findClient(this.#settings));
    try {
      return await untilAborted(() => finding, signal);
    } catch (cause) {
      if (signal?.aborted) throw abortedError(signal.reason);
      // The failed search is cleared, so that the next call tries again.
      if (this.#found === finding) this.#found = undefined;
      throw noCredentials(cause);
    }
  }
}

/**
 * Imports Google's library for credentials, unless a client is given. It fetches tokens over the provider's network.
 */
async function findClient({ credentials: given, project, network }: CredentialSettings): Promise<FoundClient> {
  if (given !== undefined && isAuthClient(given)) return { client: given, findProject: async () => given.projectId };
  const { GoogleAuth, JWT } = await import("google-auth-library");
  const transporterOptions = { fetchImplementation: toFetch(network) };
  if (given !== undefined) {
    const { client_email: email, private_key: key, project_id: projectId } = given;
    const client = new JWT({ email, key, scopes, transporterOptions });
    return { client, findProject: async () => projectId };
  }
  // A known project is passed to Google's library, which would otherwise search many places and wait for timeouts.
  const named = project === undefined ? {} : { projectId: project };
  const auth = new GoogleAuth({ scopes, ...named, clientOptions: { transporterOptions } });
  return { client: await auth.getClient(), findProject: () => auth.getProjectId() };
}

/**
 * Wraps a network as a `fetch` function, with the few features that the library needs for its small answers. The user's
 * headers are meant for the models and are not added.
 */
function toFetch(network: Network): typeof fetch {
  return async (input, init = {}) => {
    const { url } = new Request(input);
    const reply = await network.send(url, {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body === undefined || init.body === null ? undefined : await new Response(init.body).text(),
      signal: init.signal ?? undefined,
    });
    const { status, headers } = reply;
    return new Response(status === 204 ? null : await reply.text(), { status, headers: [...headers] });
  };
}

function noCredentials(cause: unknown): TroupeError {
  return new TroupeError(
    "unauthorized",
    "vertex found no credentials: pass credentials or an API key, or set up Application Default Credentials.",
    { cause, fields: { vendor: providerId } },
  );
}

function noProject(cause: unknown): TroupeError {
  return new TroupeError(
    "unauthorized",
    "vertex found no project: pass project, set GOOGLE_CLOUD_PROJECT, or pass an API key in place of credentials.",
    { cause, fields: { vendor: providerId } },
  );
}

/**
 * Converts an error of a request for a token of Google Cloud. A refused token counts like a key that the server
 * refused.
 */
function toTokenError(thrown: unknown, signal: AbortSignal | undefined): TroupeError {
  const { status } = (thrown ?? {}) as { status?: unknown };
  if (signal?.aborted || typeof status !== "number") return toModelError(thrown, { providerId, signal });
  return new ModelError({ providerId, status: status === 400 ? 401 : status, cause: thrown });
}
