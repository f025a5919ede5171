/** The position of an event in a run's log: the number of its record, and its index in the record. */
type Position = readonly [record: number, place: number];

/**
 * Returns true if the id of an event may follow the last one; `undefined` if there is none. Ids of a plain run count
 * from 1; those of a stored run, such as `5.0`, increase.
 */
export function mayFollow(id: string, last: string | undefined): boolean {
  if (!/^\d+(?:\.\d+)?$/.test(id)) return false;
  if (!id.includes(".")) return Number(id) === Number(last ?? 0) + 1;
  const [[record, place], [lastRecord, lastPlace]] = [positionOf(id), positionOf(last ?? "0.-1")];
  return record > lastRecord || (record === lastRecord && place > lastPlace);
}

function positionOf(id: string): Position {
  const [record = Number.NaN, place = -1] = id.split(".").map(Number);
  return [record, place];
}
