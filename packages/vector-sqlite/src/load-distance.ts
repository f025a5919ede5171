import type { DatabaseSync } from "node:sqlite";

/**
 * The cosine distance between stored vectors and a given vector, as an SQL function: its name, and its second argument.
 */
export type Distance = { readonly name: string; readonly argumentOf: (vector: Float32Array) => Uint8Array | null };

/** Returns the path of the `sqlite-vec` extension. Throws if its packages do not support this platform. */
export async function findSqliteVec(): Promise<string> {
  const { getLoadablePath } = await import("sqlite-vec");
  return getLoadablePath();
}

/**
 * Loads the distance function from the `sqlite-vec` extension into a connection, and then forbids further extensions.
 */
export function loadDistance(database: DatabaseSync, path: string): Distance {
  database.loadExtension(path);
  database.enableLoadExtension(false);
  return { name: "vec_distance_cosine", argumentOf: bytesOf };
}

/** Adds a distance function in JavaScript to a connection, for platforms without the extension. */
export function addDistance(database: DatabaseSync): Distance {
  // The search vector is not an argument of the SQL function, because SQLite would copy it for each stored vector.
  let query: Float32Array = new Float32Array();
  database.function("troupe_distance", { deterministic: true }, (vector, _query) =>
    vector instanceof Uint8Array ? 1 - cosineOf(floatsOf(vector), query) : null,
  );
  return {
    name: "troupe_distance",
    argumentOf: (vector) => {
      query = vector;
      return null;
    },
  };
}

/** Returns the cosine between a vector and a vector of length 1, in 64-bit floats. */
export function cosineOf(vector: Float32Array, unit: Float32Array): number {
  // The loop keeps two sums for the product and two for the length: with a single sum, each addition would wait for the
  // previous one.
  let dot = 0;
  let dotOfOdd = 0;
  let squares = 0;
  let squaresOfOdd = 0;
  const last = vector.length - 1;
  for (let index = 0; index < last; index += 2) {
    const value = vector[index] as number;
    const odd = vector[index + 1] as number;
    dot += value * (unit[index] as number);
    dotOfOdd += odd * (unit[index + 1] as number);
    squares += value * value;
    squaresOfOdd += odd * odd;
  }
  if (vector.length % 2 === 1) {
    const value = vector[last] as number;
    dot += value * (unit[last] as number);
    squares += value * value;
  }
  return (dot + dotOfOdd) / Math.sqrt(squares + squaresOfOdd);
}

/** Returns the bytes of a vector in SQLite's format. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the vector in stored bytes. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(buffer, byteOffset, Math.floor(length / 4));
}

/** Returns the vector with the same direction and length 1. */
export function toUnit(vector: Float32Array, length: number): Float32Array {
  return vector.map((value) => value / length);
}
