import { createPrivateKey } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import { optional, satisfying } from "@troupe/core/kit";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "vertex";

/** A client of `@google/genai`, by the methods that are called: a `GoogleGenAI`, or one that an instrumentation wrapped. */
export type GeminiClient = {
  models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<unknown>;
  };
};

/** A client of `@google/genai` for embeddings, by the one method that is called: a `GoogleGenAI`, or a wrapped one. */
export type GeminiEmbeddingsClient = { models: { embedContent(parameters: never): PromiseLike<unknown> } };

/** Options of models and embeddings on Google Cloud: the place and the credentials. */
export type CloudOptions = {
  /** The project to bill. @default that of the credentials, else `GOOGLE_CLOUD_PROJECT`, else that of Google's own credentials */
  project?: string | undefined;
  /** The location of the model: a region, `"us"`, `"eu"` or `"global"`. @default `GOOGLE_CLOUD_LOCATION`, else "global" */
  location?: string | undefined;
  /** The credentials for the project. @default Google's Application Default Credentials, found at the first call */
  credentials?: ServiceAccount | AuthClient | undefined;
  /** A key in place of credentials, or a function that returns it. @default where nothing names a project, `GOOGLE_API_KEY` */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default that of the location */
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

/** The key of a service account, for the option `credentials`: the fields of its key file that are used. */
export type ServiceAccount = {
  readonly client_email: string;
  readonly private_key: string;
  /** The project of the account, which is used where no other is named. */
  readonly project_id?: string | undefined;
};

/** A source of authentication headers, for the option `credentials`. Every client of `google-auth-library` is one. */
export interface AuthClient {
  /** The project of the client, which is used where no other is named. */
  readonly projectId?: string | null | undefined;
  /** Returns the headers for a request to the URL: a token, and the project to bill if it is another one. */
  getRequestHeaders(url: string): Promise<Headers | Record<string, string>>;
}

/** Ids of projects, which become parts of URLs. */
export const projectPattern = /^[a-z][\w.:-]*$/i;

/** Ids of locations, which become parts of URLs. */
export const locationPattern = /^[a-z][a-z\d-]*$/;

/** Checks of the options that this provider has beside those of `google`. */
export const cloudTable = {
  project: optional(nameLike("the id of a project", projectPattern)),
  location: optional(nameLike("the id of a location", locationPattern)),
  credentials: optional(
    satisfying<ServiceAccount | AuthClient>(
      "the key of a service account, with client_email and a private_key that can be read, or a client of google-auth-library",
      (value) => typeof value === "object" && value !== null && (isAuthClient(value) || isServiceAccount(value)),
    ),
  ),
};

/** Names of options that have no effect beside a client, which has its own. */
export const withoutEffect = ["project", "location", "credentials"];

/** Checks the options that exclude each other. Throws `invalid_config` for two of them. */
export function checkCloudOptions(options: CloudOptions, owner: string): void {
  if (options.credentials === undefined || options.apiKey === undefined) return;
  throw new TroupeError("invalid_config", `${owner} takes credentials or apiKey, not both: leave one out.`);
}

/** Tells if the option `credentials` is a client that makes headers, and not the key of a service account. */
export function isAuthClient(value: object): value is AuthClient {
  return "getRequestHeaders" in value && typeof value.getRequestHeaders === "function";
}

/** Returns the project that the option `credentials` names, if it does. */
export function projectOf(credentials: CloudOptions["credentials"]): string | undefined {
  if (credentials === undefined) return undefined;
  const project = isAuthClient(credentials) ? credentials.projectId : credentials.project_id;
  return typeof project === "string" && projectPattern.test(project) ? project : undefined;
}

function nameLike(what: string, pattern: RegExp) {
  return satisfying<string>(what, (value) => typeof value === "string" && pattern.test(value));
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
