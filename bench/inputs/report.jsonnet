// A report computed from generated records: comprehension, recursion, string formatting, sorting, sets, inheritance.
local records = [
  { id: i, name: 'record-%04d' % i, weight: (i * 7919) % 1009, tags: ['t' + (i % 5), 't' + (i % 7)] }
  for i in std.range(1, 100)
];
local primes(n) = [p for p in std.range(2, n) if std.length([d for d in std.range(2, std.floor(std.sqrt(p))) if p % d == 0]) == 0];
local fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
local Base = { name: 'base', full: 'I am ' + self.name, size: std.length(self.full) };
{
  total: std.foldl(function(sum, r) sum + r.weight, records, 0),
  heaviest: std.sort(records, function(r) -r.weight)[0].name,
  tags: std.set(std.flattenArrays([r.tags for r in records])),
  byTag: { [tag]: std.length([r for r in records if std.member(r.tags, tag)]) for tag in ['t0', 't3', 't6'] },
  primes: primes(120),
  fib: fib(13),
  derived: Base { name: 'derived', extra: super.name + '!' },
  text: std.join(',', [std.asciiUpper(r.name) for r in records if r.id % 50 == 0]),
  records: [r { tags+: ['x'] } for r in records if r.weight < 100],
}
