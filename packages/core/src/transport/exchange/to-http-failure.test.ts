import { TroupeError } from "../../base/errors/troupe-error.ts";
import { describe, expect, it } from "vitest";
import { toHttpFailure } from "./to-http-failure.ts";

/** An error as `http-errors` and body parsers make them. */
const httpError = (fields: object, message = "Look at /etc."): Error => Object.assign(new Error(message), fields);

function failureOf(thrown: unknown) {
  const { status, error } = toHttpFailure(thrown);
  return [status, error.code, error.message];
}

const general = "Something went wrong in this service.";

describe("toHttpFailure", () => {
  it("keeps an error of Troupe as it is, whatever other fields it has", () => {
    const error = Object.assign(new TroupeError("gone", "Gone."), { status: 404, expose: true });
    expect(toHttpFailure(error)).toEqual({ status: 410, error });
    expect(toHttpFailure(error).error).toBe(error);
  });

  it("tells of a path that cannot be decoded", () => {
    const message = "The path has a broken percent escape. Encode it with encodeURIComponent.";
    expect(failureOf(httpError(new URIError("at %ZZ")))).toEqual([500, "internal", general]);
    expect(failureOf(new URIError("at %ZZ"))).toEqual([400, "invalid_request", message]);
  });

  it.each([
    [400, "invalid_request", "The request is malformed."],
    [401, "unauthorized", "Credentials are required."],
    [403, "forbidden", "This is not allowed."],
    [404, "not_found", "Nothing was found at this path."],
    [405, "invalid_request", "The request is malformed."],
    [408, "timeout", "The request took too long."],
    [409, "conflict", "The request conflicts with another one."],
    [413, "payload_too_large", "The request is too large."],
    [415, "unsupported_media_type", "The media type of the request is not supported."],
    [429, "rate_limited", "Too many requests. Try again later."],
    [499, "invalid_request", "The request is malformed."],
  ])("gives the status %i the code %s, and a message of its own unless it is for clients", (status, code, message) => {
    expect(failureOf(httpError({ status, expose: false }))).toEqual([status, code, message]);
    expect(failureOf(httpError({ status, expose: true }, ""))).toEqual([status, code, message]);
    expect(failureOf(httpError({ status, expose: true }))).toEqual([status, code, "Look at /etc."]);
  });

  it.each([
    ["entity.parse.failed", "The body is not valid JSON."],
    ["entity.too.large", "The body is longer than this service accepts."],
    ["encoding.unsupported", "The content encoding of the body is not supported. Send the body uncompressed."],
    ["charset.unsupported", "The body must be in UTF-8."],
    ["request.aborted", "The body broke off before its end."],
    ["request.size.invalid", "The length of the body differs from its Content-Length."],
    ["of.later", "The request is malformed."],
    ["constructor", "The request is malformed."],
    ["", "The request is malformed."],
  ])("has a message of its own for the problem %j of a body parser, which may quote the body", (type, message) => {
    expect(failureOf(httpError({ status: 400, expose: true, type }))).toEqual([400, "invalid_request", message]);
  });

  it("takes a type that is no text for none", () => {
    const error = httpError({ status: 400, expose: true, type: 7 });
    expect(failureOf(error)).toEqual([400, "invalid_request", "Look at /etc."]);
  });

  it.each<[what: string, thrown: unknown]>([
    ["a status of a vendor, not marked for clients", httpError({ status: 404 })],
    ["a status that is a text", httpError({ status: "404", expose: true })],
    ["a status below 400", httpError({ status: 399, expose: true })],
    ["a status of a failing service", httpError({ status: 500, expose: true })],
    ["a mark that is none", httpError({ status: 404, expose: 1 })],
    ["the form of an error alone", { status: 404, expose: true, message: "Look." }],
    ["nothing", undefined],
    ["a text", "Look at /etc."],
  ])("takes %s for a failure of the service", (_, thrown) => {
    const { status, error } = toHttpFailure(thrown);
    expect([status, error.code]).toEqual([500, "internal"]);
  });
});
