// What scripts that were written for values of Java call on arrays and texts. Plain objects get nothing: there a member
// is data, and a message says what to write.
() => {
  const { defineProperty } = Object;

  function isEqual(left, right) {
    if (left === right) return true;
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) if (!isEqual(left[index], right[index])) return false;
    return true;
  }

  function iteratorOf(list) {
    let next = 0;
    return {
      hasNext: () => next < list.length,
      next: () => {
        if (next >= list.length) throw new RangeError('The iterator has no more items');
        return list[next++];
      },
    };
  }

  /** Paths of resources are texts; in the field they are objects, whose methods scripts call on `resourceName`. */
  function partsOf(path) {
    return path === '' ? [] : path.split('/');
  }

  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }

  const habits = [
    [
      Array.prototype,
      {
        size() {
          return this.length;
        },
        isEmpty() {
          return this.length === 0;
        },
        toArray() {
          return this.slice();
        },
        contains(item) {
          return this.some((other) => isEqual(other, item));
        },
        equals(other) {
          return isEqual(this, other);
        },
        iterator() {
          return iteratorOf(this);
        },
      },
    ],
    [
      String.prototype,
      {
        isEmpty() {
          return this.length === 0;
        },
        contains(text) {
          return this.includes(text);
        },
        equals(other) {
          return String(this) === other;
        },
        equalsIgnoreCase(other) {
          return typeof other === 'string' && this.toLowerCase() === other.toLowerCase();
        },
        size() {
          return partsOf(String(this)).length;
        },
        head(end) {
          return partsOf(String(this)).slice(0, end).join('/');
        },
        tail(from) {
          return partsOf(String(this)).slice(from).join('/');
        },
        parent() {
          return partsOf(String(this)).slice(0, -1).join('/');
        },
        leaf() {
          return decoded(partsOf(String(this)).pop() ?? '');
        },
      },
    ],
  ];
  for (const prototype of [Number.prototype, Boolean.prototype]) {
    habits.push([
      prototype,
      {
        equals(other) {
          return this.valueOf() === other;
        },
      },
    ]);
  }

  for (const [prototype, methods] of habits) {
    for (const name of Object.keys(methods)) {
      defineProperty(prototype, name, {
        value: methods[name],
        writable: true,
        configurable: true,
        enumerable: false,
      });
    }
  }
};
