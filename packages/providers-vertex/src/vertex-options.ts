import type { Logger } from "@troupe/core";
import type { ModelRules } from "./model-rules.ts";

/** Options of `vertex`, which creates a model. Without `project` and `location`, calls need an API key. */
export type VertexOptions = {
  /** The project to bill, together with `location`. Without both, an API key is needed. */
  project?: string | undefined;
  /** The location of the model: a region, `"us"`, `"eu"` or `"global"`. */
  location?: string | undefined;
  /** The credentials for the project. @default Google's Application Default Credentials, found at the first call */
  credentials?: ServiceAccount | AuthClient | undefined;
  /** A key in place of credentials. @default without `project`, `GOOGLE_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default that of the location */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** The key of a service account, for the option `credentials`: the fields of its key file that are used. */
export type ServiceAccount = { readonly client_email: string; readonly private_key: string };

/** A source of authentication headers, for the option `credentials`. Every client of `google-auth-library` is one. */
export interface AuthClient {
  /** Returns the headers for a request to the URL: a token, and the project to bill if it is another one. */
  getRequestHeaders(url: string): Promise<Headers | Record<string, string>>;
}
