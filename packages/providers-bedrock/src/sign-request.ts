import { createHash, createHmac } from "node:crypto";
import type { AwsCredentials } from "./options.ts";

/** A request to sign: its address, its headers, and the SHA-256 of its body in hexadecimal. */
export type UnsignedRequest = {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  bodyHash: string;
};

/** The credentials and the AWS region for which a request is signed, and the time of the signature. */
export type Signer = { credentials: AwsCredentials; region: string; time: Date };

const algorithm = "AWS4-HMAC-SHA256";
const service = "bedrock";

/**
 * Returns the headers that sign a request by Signature Version 4 of AWS: its date, the hash of the body, the token of
 * temporary credentials, and the signature. Of the request's own headers only the content type is signed, because a
 * proxy may change the others.
 */
export function signRequest(request: UnsignedRequest, signer: Signer): Record<string, string> {
  const { credentials, region, time } = signer;
  const date = time.toISOString().replace(/[-:]|\.\d+/g, "");
  const own: Record<string, string> = {
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": date,
    ...(credentials.sessionToken !== undefined && { "x-amz-security-token": credentials.sessionToken }),
  };
  const signed = sortedByName({ ...own, ...contentTypeOf(request.headers), host: request.url.host });
  const names = signed.map(([name]) => name).join(";");
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = [algorithm, date, scope, sha256(toCanonical(request, signed, names))].join("\n");
  const signature = hmac(signingKey(credentials.secretAccessKey, scope), text).toString("hex");
  const credential = `${credentials.accessKeyId}/${scope}`;
  return {
    ...own,
    authorization: `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Returns the SHA-256 of a string or bytes in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

type Header = readonly [name: string, value: string];

function sortedByName(headers: Readonly<Record<string, string>>): Header[] {
  return Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function contentTypeOf(headers: UnsignedRequest["headers"]): Record<string, string> {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return value === undefined ? {} : { "content-type": value };
}

/** Returns a request in the form whose hash is signed. Requests to Bedrock have no query. */
function toCanonical({ method, url, bodyHash }: UnsignedRequest, headers: readonly Header[], names: string): string {
  const lines = headers.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, " ")}`);
  // The path is encoded once more than in the request, as for all services except S3.
  const path = url.pathname.split("/").map(escape).join("/");
  return [method, path, "", ...lines, "", names, bodyHash].join("\n");
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signingKey(secretAccessKey: string, scope: string): Buffer {
  return scope.split("/").reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
