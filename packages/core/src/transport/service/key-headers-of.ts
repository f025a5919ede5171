import { genericKeyHeader, keyHeaderOf, vendorKeyHeaderNames } from "../../model/keys/key-headers.ts";
import { providersOf } from "../../model/keys/providers-of.ts";
import { vendorOf } from "../../model/keys/select-key.ts";
import type { Service } from "./service.ts";

/** A request header for an API key. `vendor` is missing for the generic key. */
type KeyHeader = { readonly vendor?: string; readonly header: string };

/** Providers that need no key: the model of tests, and of a demo without a vendor. */
const withoutKeys = ["scripted"];

/**
 * Returns the headers in which a client may send API keys, if they are known. These are the headers of the vendors that
 * every service documents, the headers of the vendors of the served models, and the generic header if the service reads
 * it.
 */
export function keyHeadersOf({ agents, teams, workflows, settings }: Service): KeyHeader[] {
  const served = [agents, teams, workflows].flatMap((registry) => [...registry.values()].flatMap(providersOf));
  const needed = served.filter((id) => !withoutKeys.includes(id)).map(vendorOf);
  const vendors = [...new Set([...Object.keys(vendorKeyHeaderNames), ...needed])];
  const headers: KeyHeader[] = vendors.map((vendor) => ({ vendor, header: keyHeaderOf(vendor) }));
  return settings.genericApiKeyHeader ? [...headers, { header: genericKeyHeader }] : headers;
}
