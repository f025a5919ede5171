import { createPrivateKey } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import { optional, customOption } from "@troupe/core/kit";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors contain and under which callers send its key. */
export const providerId = "vertex";

/**
 * A client of `@google/genai`, described by the methods that are called: a `GoogleGenAI`, or a client wrapped by
 * instrumentation.
 */
export type GeminiClient = {
  models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<unknown>;
  };
};

/**
 * A client of `@google/genai` for embeddings, described by the one method that is called: a `GoogleGenAI`, or a wrapped
 * client.
 */
export type GeminiEmbeddingsClient = { models: { embedContent(parameters: never): PromiseLike<unknown> } };

/** Options of models and embeddings on Google Cloud: project, location and credentials. */
export type CloudOptions = {
  /**
   * The project to bill. @default the project of `credentials`, else `GOOGLE_CLOUD_PROJECT`, else the project of
   * Google's default credentials
   */
  project?: string | undefined;
  /**
   * The location of the model: a region, `"us"`, `"eu"` or `"global"`. @default `GOOGLE_CLOUD_LOCATION`, else "global"
   */
  location?: string | undefined;
  /** The credentials for the project. @default Google's Application Default Credentials, found at the first call */
  credentials?: ServiceAccount | AuthClient | undefined;
  /**
   * A key instead of credentials, or a function that returns it. @default `GOOGLE_API_KEY`, only if no project,
   * location or credentials are configured
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default the API's address in the location */
  baseURL?: string | undefined;
};

/** Options of `vertex`, which creates a model. All have defaults. */
export type VertexOptions = CloudOptions & ModelProviderOptions<GeminiClient, ModelRules>;

/** Options of `vertexEmbeddings`, which turns texts into vectors. All have defaults. */
export type VertexEmbeddingsOptions = CloudOptions &
  EmbeddingProviderOptions<GeminiEmbeddingsClient> & {
    /** The id of the model. @default "gemini-embedding-001" */
    model?: string | undefined;
    /** Milliseconds to wait for each request. @default 600_000 */
    timeoutMs?: number | undefined;
  };

/** The key of a service account, for the option `credentials`: the fields that are read from its key file. */
export type ServiceAccount = {
  readonly client_email: string;
  readonly private_key: string;
  /** The project of the account, used if no other project is configured. */
  readonly project_id?: string | undefined;
};

/** A source of authentication headers, for the option `credentials`, such as any client of `google-auth-library`. */
export interface AuthClient {
  /** The project of the client, used if no other project is configured. */
  readonly projectId?: string | null | undefined;
  /**
   * Returns the headers for a request to the URL: a token, and the project to bill if it differs from the project of
   * the credentials.
   */
  getRequestHeaders(url: string): Promise<Headers | Record<string, string>>;
}

/** Matches valid project ids of Google Cloud, which become parts of URLs. */
export const projectPattern = /^[a-z][\w.:-]*$/i;

/** Matches valid location ids of Google Cloud, which become parts of URLs. */
export const locationPattern = /^[a-z][a-z\d-]*$/;

/** Checks of the options that `vertex` has in addition to the options of `google`. */
export const cloudTable = {
  project: optional(nameLike("the id of a project", projectPattern)),
  location: optional(nameLike("the id of a location", locationPattern)),
  credentials: optional(
    customOption<ServiceAccount | AuthClient>(
      "the key of a service account, with client_email and a private_key that can be read, or a client of google-auth-library",
      (value) => typeof value === "object" && value !== null && (isAuthClient(value) || isServiceAccount(value)),
    ),
  ),
};

/** Names of options that have no effect with a client, which has its own settings. */
export const withoutEffect = ["project", "location", "credentials"];

/** Throws `invalid_config` if both `credentials` and `apiKey` are set, which exclude each other. */
export function checkCloudOptions(options: CloudOptions, owner: string): void {
  if (options.credentials === undefined || options.apiKey === undefined) return;
  throw new TroupeError("invalid_config", `${owner} takes credentials or apiKey, not both: leave one out.`);
}

/** Returns true if the option `credentials` is a client that makes headers, and not the key of a service account. */
export function isAuthClient(value: object): value is AuthClient {
  return "getRequestHeaders" in value && typeof value.getRequestHeaders === "function";
}

/** Returns the project that the option `credentials` names, or undefined. */
export function projectOf(credentials: CloudOptions["credentials"]): string | undefined {
  if (credentials === undefined) return undefined;
  const project = isAuthClient(credentials) ? credentials.projectId : credentials.project_id;
  return typeof project === "string" && projectPattern.test(project) ? project : undefined;
}

function nameLike(what: string, pattern: RegExp) {
  return customOption<string>(what, (value) => typeof value === "string" && pattern.test(value));
}

function isServiceAccount(value: object): boolean {
  const { client_email: email, private_key: key } = value as Partial<ServiceAccount>;
  return typeof email === "string" && typeof key === "string" && isPrivateKey(key);
}

function isPrivateKey(key: string): boolean {
  try {
    return createPrivateKey(key).type === "private";
  } catch {
    return false;
  }
}
