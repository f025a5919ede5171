import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPrivateAddress } from "./private-address.ts";
import { urlRefusal } from "./url-refusal.ts";

/**
 * A lookup that fails when any of a name's addresses is not public. The connection uses the very addresses that were
 * checked, so a name that changes its answer in between gains nothing.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      // The answer of a failed lookup is not even an empty list.
      const addresses = error === null ? toAddresses(answer, family) : [];
      const [first] = addresses;
      if (error !== null) callback(error, "");
      else if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
        callback(urlRefusal("private_address"), "");
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** A lookup may answer with one address although it was asked for all. */
function toAddresses(answer: string | LookupAddress[], family: number | undefined): LookupAddress[] {
  if (typeof answer !== "string") return answer;
  return answer === "" ? [] : [{ address: answer, family: family ?? 0 }];
}
