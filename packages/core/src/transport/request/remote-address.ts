/** The fields of a request from Node or Express that show its remote address. */
type AddressedRequest = { readonly ip?: unknown; readonly socket?: { readonly remoteAddress?: string | undefined } };

/**
 * Returns the remote address of a request: on Express `request.ip`, which follows the setting `trust proxy`. Undefined
 * if the host does not trust addresses, because many clients may then share one proxy's address.
 */
export function readRemoteAddress(request: AddressedRequest | undefined, isTrusted: boolean): string | undefined {
  if (!isTrusted || request === undefined) return undefined;
  return typeof request.ip === "string" ? request.ip : request.socket?.remoteAddress;
}
