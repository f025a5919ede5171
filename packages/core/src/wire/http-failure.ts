import { TroupeError } from "../errors/troupe-error.ts";

/**
 * A request that got no answer, or whose answer broke off. The cause carries the network's code: `ECONNRESET`,
 * `UND_ERR_SOCKET`, `UND_ERR_HEADERS_TIMEOUT` and their like.
 */
export function httpFailure(cause: Error): TroupeError {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      // What is wrong with the request may hold a key, so neither it nor the cause is passed on.
      return new TroupeError(
        "invalid_request",
        "The HTTP request cannot be sent: its method must be a token, and its headers printable text.",
      );
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
    case "UND_ERR_BODY_TIMEOUT":
      return new TroupeError("timeout", "The server was silent for too long; the cause tells at what point.", {
        cause,
      });
    default:
      return new TroupeError("unavailable", "The connection to the server failed; the cause tells how.", { cause });
  }
}
