import { type Bytes, isSame, sha256 } from "./bytes";

/** The Merkle tree of RFC 9162, section 2.1: its proofs verified. */

/** The hash of a leaf. */
export function leafHash(entry: Bytes): Promise<Bytes> {
  return hashOf(0, entry);
}

export function nodeHash(left: Bytes, right: Bytes): Promise<Bytes> {
  return hashOf(1, left, right);
}

function hashOf(first: number, ...parts: Bytes[]): Promise<Bytes> {
  return sha256(Uint8Array.from([first, ...parts.flatMap((part) => [...part])]));
}

/** A node on the way to the root: sizes go beyond 32 bits, so no bit operations. */
interface TreeNode {
  index: number;
  last: number;
}

const isRight = ({ index }: TreeNode): boolean => index % 2 === 1;

function up(node: TreeNode): void {
  node.index = Math.floor(node.index / 2);
  node.last = Math.floor(node.last / 2);
}

function upToRight(node: TreeNode): void {
  while (node.index !== 0 && !isRight(node)) up(node);
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
  const node = { index: proof.index, last: proof.size - 1 };
  let hash = proof.leaf;
  for (const sibling of proof.path) {
    if (node.last === 0) return false;
    if (isRight(node) || node.index === node.last) {
      hash = await nodeHash(sibling, hash);
      upToRight(node);
    } else {
      hash = await nodeHash(hash, sibling);
    }
    up(node);
  }
  return node.last === 0 && isSame(hash, proof.root);
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
  const node = { index: first.size - 1, last: second.size - 1 };
  while (isRight(node)) up(node);
  let old = begin;
  let fresh = begin;
  for (const sibling of rest) {
    if (node.last === 0) return false;
    if (isRight(node) || node.index === node.last) {
      old = await nodeHash(sibling, old);
      fresh = await nodeHash(sibling, fresh);
      upToRight(node);
    } else {
      fresh = await nodeHash(fresh, sibling);
    }
    up(node);
  }
  return node.last === 0 && isSame(old, first.root) && isSame(fresh, second.root);
}
