import { TroupeError } from "../errors/troupe-error.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import { vendorKeyHeaders } from "../keys/key-headers.ts";
import { bindGenericKey } from "../keys/select-key.ts";
import { getOwn } from "../util/get-own.ts";
import { readProperty } from "../util/read-property.ts";
import { everyStep } from "./step.ts";
import type { Step } from "./step.ts";

/** The vendors of the agents in the steps; a runnable that names none is passed over. */
export function providersOf(steps: readonly Step[]): string[] {
  const providers = new Set<string>();
  for (const step of everyStep(steps)) {
    if (step.kind !== "agent") continue;
    for (const provider of namedBy(step.agent)) providers.add(provider);
  }
  return [...providers];
}

/** The vendor that the generic key of a call is for; `invalid_request` when it could be for several. */
export function keyProvider(providers: readonly string[], apiKey: string | undefined): string | undefined {
  const bind = (keys: ApiKeys, provider: string) => bindGenericKey(keys, apiKey, provider);
  const vendors = Object.keys(providers.reduce(bind, {}));
  if (vendors.length <= 1) return providers[0];
  const headers = vendors.flatMap((vendor) => getOwn(vendorKeyHeaders, vendor) ?? []);
  const ways = headers.length === 0 ? "" : `, or the headers ${headers.join(", ")}`;
  throw new TroupeError(
    "invalid_request",
    `apiKey could be for any of ${vendors.join(", ")}, for the agents of this workflow use several: send each vendor its own (apiKeys${ways}).`,
  );
}

/** A workflow within a workflow may have several. */
function namedBy(runnable: unknown): string[] {
  const several = readProperty(runnable, "providerIds");
  const names: unknown[] = Array.isArray(several) ? several : [readProperty(runnable, "providerId")];
  return names.filter((name) => typeof name === "string");
}
