import { wrongParam } from "./a2a-error.ts";
import { present } from "./field-reader.ts";
import type { FieldReader } from "./field-reader.ts";

/** The address and credentials with which a client wants to be notified of a task. */
export type PushConfig = {
  /** Absent where the server is to choose it. */
  id?: string;
  url: string;
  /** Returned with each notification, by which the receiver knows it. */
  token?: string;
  /** The scheme of the `Authorization` of notifications, and what follows it. */
  scheme?: string;
  credentials?: string;
};

/** A config of a task, as the server keeps it. */
export type TaskPushConfig = { readonly taskId: string; readonly config: PushConfig & { readonly id: string } };

/** A page of a task's configs. `nextPageToken` is empty on the last one. */
export type PushPage = { readonly configs: readonly TaskPushConfig[]; readonly nextPageToken: string };

const maxUrl = 2048;
const maxValue = 4096;
const maxId = 128;

/** Reads a config. The scheme is that of 1.0 or the first one of 0.x. */
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

/** Reads the config in a field, if one was sent. */
export function readOptionalPush(fields: FieldReader, name: string): PushConfig | undefined {
  return fields.get(name) === undefined ? undefined : readPushConfig(fields.reader(name));
}

/** Reads the id of a config, if one was sent. */
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

/** Reads a string that becomes the value of a header. The error does not show it. */
function readHeaderValue(fields: FieldReader, name: string): string | undefined {
  const value = fields.optional(name);
  if (value === undefined || (value.length <= maxValue && /^[!-~](?:[ -~]*[!-~])?$/.test(value))) return value;
  throw wrongParam(fields.path(name), `at most ${maxValue} visible ASCII characters`);
}
