/** A request as Node or Express gives it, as far as it says where it comes from. */
type AddressedRequest = { readonly ip?: unknown; readonly socket?: { readonly remoteAddress?: string | undefined } };

/**
 * Returns the remote address of a request: on Express `request.ip`, which follows its setting `trust proxy`. Undefined where the
 * host does not trust addresses: then many clients may share one, that of a proxy.
 */
export function readRemoteAddress(request: AddressedRequest | undefined, isTrusted: boolean): string | undefined {
  if (!isTrusted || request === undefined) return undefined;
  return typeof request.ip === "string" ? request.ip : request.socket?.remoteAddress;
}
