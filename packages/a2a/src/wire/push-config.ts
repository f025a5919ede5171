import { wrongParam } from "./a2a-error.ts";
import { present } from "./field-reader.ts";
import type { FieldReader } from "./field-reader.ts";

/** The address and credentials for a client's notifications about a task. */
export type PushConfig = {
  /** The id of the push config. Absent if the server chooses it. */
  id?: string;
  url: string;
  /** A token that is sent back with each notification, so that the receiver can recognise it. */
  token?: string;
  /** The scheme in the `Authorization` header of notifications, such as `Bearer`. `credentials` follow the scheme. */
  scheme?: string;
  credentials?: string;
};

/** A push config of a task, as the server stores it. */
export type TaskPushConfig = { readonly taskId: string; readonly config: PushConfig & { readonly id: string } };

/** A page of a task's push configs. `nextPageToken` is empty on the last page. */
export type PushPage = { readonly configs: readonly TaskPushConfig[]; readonly nextPageToken: string };

const maxUrl = 2048;
const maxValue = 4096;
const maxId = 128;

/**
 * Reads a client's push config. A2A 0.x sends a list of authentication schemes, of which the first is used; 1.0 sends
 * one.
 */
export function readPushConfig(fields: FieldReader): PushConfig {
  const url = fields.required("url");
  if (url.length > maxUrl) throw wrongParam(fields.path("url"), `an address of at most ${maxUrl} characters`);
  const authentication = fields.get("authentication") === undefined ? undefined : fields.reader("authentication");
  return {
    url,
    ...present({
      id: readPushId(fields, "id"),
      token: readHeaderValue(fields, "token"),
      scheme: authentication && readScheme(authentication),
      credentials: authentication && readHeaderValue(authentication, "credentials"),
    }),
  };
}

/** Reads the push config in a field; undefined if it is absent. */
export function readOptionalPush(fields: FieldReader, name: string): PushConfig | undefined {
  return fields.get(name) === undefined ? undefined : readPushConfig(fields.reader(name));
}

/** Reads the id of a push config; undefined if it is absent. */
export function readPushId(fields: FieldReader, name: string): string | undefined {
  const id = fields.optional(name);
  if (id === undefined || id.length <= maxId) return id;
  throw wrongParam(fields.path(name), `a string of at most ${maxId} characters`);
}

function readScheme(authentication: FieldReader): string {
  const [first] = authentication.strings("schemes") ?? [];
  const scheme = first ?? authentication.required("scheme");
  if (/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(scheme)) return scheme;
  throw wrongParam(authentication.path(first === undefined ? "scheme" : "schemes"), "the name of an HTTP scheme");
}

/** Reads a string that becomes the value of a header. An error does not quote the string, because it is a secret. */
function readHeaderValue(fields: FieldReader, name: string): string | undefined {
  const value = fields.optional(name);
  if (value === undefined || (value.length <= maxValue && /^[!-~](?:[ -~]*[!-~])?$/.test(value))) return value;
  throw wrongParam(fields.path(name), `at most ${maxValue} visible ASCII characters`);
}
