#!/usr/bin/env bash
# Records jvm-oom: a Java pricing service with a heap of 48 MB that keeps each price list it loads; the log is rotated and the
# older part compressed, as logback does. Packages: openjdk-17-jdk-headless. Runs about 40 s.
set -euo pipefail
. "$(dirname "$0")/sandbox.sh"
enter pricing-1 "$@"

mkdir -p /srv/app/src/com/shop/pricing /srv/app/classes /var/log/pricing
cat > src/com/shop/pricing/PriceListCache.java <<'JAVA'
package com.shop.pricing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the price list of each tenant. */
final class PriceListCache {
    private final Map<Integer, List<long[]>> lists = new HashMap<>();

    List<long[]> load(int tenant) {
        List<long[]> rows = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            rows.add(new long[1600]);
        }
        synchronized (lists) {
            lists.put(tenant, rows);
        }
        return rows;
    }

    int size() {
        synchronized (lists) {
            return lists.size();
        }
    }
}
JAVA
cat > src/com/shop/pricing/PricingService.java <<'JAVA'
package com.shop.pricing;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

public final class PricingService {
    private static final Logger LOG = Logger.getLogger("com.shop.pricing.PricingService");
    private static final Logger CACHE = Logger.getLogger("com.shop.pricing.PriceListCache");

    /** The pattern %d{yyyy-MM-dd HH:mm:ss.SSS} [%thread] %-5level %logger - %msg%n%ex of logback. */
    static final class Line extends Formatter {
        private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

        @Override
        public String format(LogRecord r) {
            String level = r.getLevel() == Level.SEVERE ? "ERROR" : r.getLevel() == Level.WARNING ? "WARN" : "INFO";
            StringWriter text = new StringWriter();
            text.append(String.format("%s [%s] %-5s %s - %s%n", STAMP.format(r.getInstant()), Thread.currentThread().getName(),
                level, r.getLoggerName(), r.getMessage()));
            if (r.getThrown() != null) {
                r.getThrown().printStackTrace(new PrintWriter(text));
            }
            return text.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        Logger root = Logger.getLogger("");
        for (var handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        FileHandler file = new FileHandler("/var/log/pricing/pricing.log", 15_000, 8, true);
        file.setFormatter(new Line());
        root.addHandler(file);
        PriceListCache cache = new PriceListCache();
        AtomicInteger tenant = new AtomicInteger(3000);
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(4, r -> {
            Thread t = new Thread(r, "pricing-worker-" + tenant.incrementAndGet() % 10);
            t.setDaemon(true);
            return t;
        });
        LOG.info("pricing started, version=6.0.4, max heap=" + Runtime.getRuntime().maxMemory() / 1048576 + " MB");
        AtomicInteger next = new AtomicInteger(700);
        pool.scheduleAtFixedRate(() -> {
            int id = next.incrementAndGet();
            try {
                int rows = cache.load(id).size();
                LOG.info("price list of tenant " + id + " loaded, rows=" + rows);
                if (id % 20 == 0) {
                    CACHE.info("cache holds " + cache.size() + " price lists");
                }
            } catch (OutOfMemoryError e) {
                LOG.log(Level.SEVERE, "price list of tenant " + id + " not loaded", new IllegalStateException("cannot load tenant " + id, e));
            }
        }, 0, 250, TimeUnit.MILLISECONDS);
        Thread.sleep(33_000);
        LOG.info("pricing stopped by its schedule");
    }
}
JAVA
javac -d classes src/com/shop/pricing/*.java
java -Xmx48m -Xms48m -XX:+UseSerialGC -Xlog:gc:file=/var/log/pricing/gc.log:time,level,tags -cp classes com.shop.pricing.PricingService || true
cd /var/log/pricing
ls -l >&2
rm -f ./*.lck
# FileHandler numbers the files with 0 as the newest; logback's names are pricing.log and pricing.N.log.gz.
mv pricing.log.0 pricing.log
for n in 1 2 3 4 5 6 7; do
  if [ -f pricing.log.$n ]; then mv pricing.log.$n pricing.$n.log && gzip -9n pricing.$n.log; fi
done
keep pricing.log
keep gc.log
for f in pricing.*.log.gz; do keep "$f"; done
date -u +%Y-%m-%dT%H:%M:%SZ
