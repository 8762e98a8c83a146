-- Questions about books, tables and positions, for `wrk -t1 -c64 -d60s --latency -s contrib/page/load.lua URL`.
local paths = {
 "/api/book?moves=h2e2&notation=chinese", "/api/book", "/api/book?moves=h2e2,h9g7", "/api/book?moves=h2e2,h9g7,h0g2",
 "/api/book?moves=g3g4", "/api/book?moves=c3c4",
 "/api/table?fen=3k5/9/9/9/9/9/9/9/4R4/4K4%20w", "/api/table?fen=3k5/9/2n6/9/9/9/4R4/4K4/9/9%20w", "/api/legal?moves=h2e2"}
local n = 0
request = function() n = n + 1; return wrk.format("GET", paths[n % #paths + 1]) end
