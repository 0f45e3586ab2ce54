import { type Bytes, isSame, sha256 } from "./bytes";

/** The Merkle tree of RFC 9162, section 2.1: its proofs verified. */

/** The hash of a leaf. */
export function leafHash(entry: Bytes): Promise<Bytes> {
  return hashed(0, entry);
}

export function nodeHash(left: Bytes, right: Bytes): Promise<Bytes> {
  return hashed(1, left, right);
}

function hashed(first: number, ...parts: Bytes[]): Promise<Bytes> {
  return sha256(Uint8Array.from([first, ...parts.flatMap((part) => [...part])]));
}

/** A node on the way to the root: sizes go beyond 32 bits, so no bit operations. */
interface Place {
  index: number;
  last: number;
}

const isRight = ({ index }: Place): boolean => index % 2 === 1;

function up(place: Place): void {
  place.index = Math.floor(place.index / 2);
  place.last = Math.floor(place.last / 2);
}

function upToRight(place: Place): void {
  while (place.index !== 0 && !isRight(place)) up(place);
}

export interface Inclusion {
  /** The hash of the leaf, by `leafHash`. */
  readonly leaf: Bytes;
  /** Its index, from 0. */
  readonly index: number;
  readonly size: number;
  readonly path: readonly Bytes[];
  readonly root: Bytes;
}

/** Whether the proof shows that the leaf is in the tree (2.1.3.2). */
export async function isIncluded(proof: Inclusion): Promise<boolean> {
  if (proof.index < 0 || proof.index >= proof.size) return false;
  const place = { index: proof.index, last: proof.size - 1 };
  let found = proof.leaf;
  for (const each of proof.path) {
    if (place.last === 0) return false;
    if (isRight(place) || place.index === place.last) {
      found = await nodeHash(each, found);
      upToRight(place);
    } else {
      found = await nodeHash(found, each);
    }
    up(place);
  }
  return place.last === 0 && isSame(found, proof.root);
}

export interface Tree {
  readonly size: number;
  readonly root: Bytes;
}

/** Whether the proof shows that the second tree begins with the first (2.1.4.2). */
export async function isConsistent(
  first: Tree,
  second: Tree,
  path: readonly Bytes[],
): Promise<boolean> {
  if (first.size < 0 || first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && isSame(first.root, second.root);
  if (first.size === 0) {
    return path.length === 0 && isSame(first.root, await sha256(new Uint8Array()));
  }
  // a complete first tree is a node of the second, and is not repeated in the proof
  const steps = Number.isInteger(Math.log2(first.size)) ? [first.root, ...path] : path;
  const [begin, ...rest] = steps;
  if (path.length === 0 || begin === undefined) return false;
  const place = { index: first.size - 1, last: second.size - 1 };
  while (isRight(place)) up(place);
  let old = begin;
  let fresh = begin;
  for (const each of rest) {
    if (place.last === 0) return false;
    if (isRight(place) || place.index === place.last) {
      old = await nodeHash(each, old);
      fresh = await nodeHash(each, fresh);
      upToRight(place);
    } else {
      fresh = await nodeHash(fresh, each);
    }
    up(place);
  }
  return place.last === 0 && isSame(old, first.root) && isSame(fresh, second.root);
}
