import type { Logger } from "@troupe/core";
import type { ModelRules } from "./model-rules.ts";

/** How Google Cloud is reached, and who pays. */
export type VertexOptions = {
  /** The project that is billed; `location` belongs to it. Without both, only an API key can ask. */
  project?: string;
  /** Where the model runs: a region, `"us"`, `"eu"` or `"global"`. */
  location?: string;
  /** Who asks for the project. @default Google's Application Default Credentials, looked for at the first call */
  credentials?: ServiceAccount | AuthClient;
  /** A key in place of credentials. @default without `project`, the environment's `GOOGLE_API_KEY` at the time of the call */
  apiKey?: string;
  /** Where the interface is, without its version. @default the address of the location */
  baseURL?: string;
  /** The longest silence before and within a stream. @default 60_000 */
  idleTimeoutMs?: number;
  /** What the model takes, where it differs from the table. */
  rules?: Partial<ModelRules>;
  /** Told, at level debug, what the model does not take and is therefore left out. @default silent */
  logger?: Logger;
};

/** What is read of a service account's key file. */
export type ServiceAccount = { readonly client_email: string; readonly private_key: string };

/** Anything that proves who asks; every client of `google-auth-library` is one. */
export interface AuthClient {
  /** The headers for a request to the address: a token, and who is billed where that is not the project. */
  getRequestHeaders(url: string): Promise<Headers | Record<string, string>>;
}
