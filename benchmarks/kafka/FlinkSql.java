import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Runs the statements of a file, a blank line between two, on a cluster of one task manager with two slots in this process.
 *
 * <p>It prints "ready SECONDS" (from the start of the JVM until the cluster is up), then of each INSERT "job SECONDS CPU_SECONDS" (from its
 * submission until it has ended), and of each SELECT "last VALUE", the first column of the last change of its result. A failure ends it with
 * a stack trace and status 1.
 */
public class FlinkSql {
    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.setString("rest.bind-port", "0");
        settings.setString("parallelism.default", "2");
        MiniClusterConfiguration shape =
                new MiniClusterConfiguration.Builder()
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(2)
                        .setConfiguration(settings)
                        .build();
        try (MiniCluster cluster = new MiniCluster(shape)) {
            cluster.start();
            settings.setString("execution.target", "remote");
            settings.setString("rest.address", cluster.getRestAddress().get().getHost());
            settings.setString("rest.port", String.valueOf(cluster.getRestAddress().get().getPort()));
            TableEnvironment tables =
                    TableEnvironment.create(
                            EnvironmentSettings.newInstance().inStreamingMode().withConfiguration(settings).build());
            long start = ManagementFactory.getRuntimeMXBean().getStartTime();
            System.out.printf("ready %.3f%n", (System.currentTimeMillis() - start) / 1e3);
            for (String statement : Files.readString(Path.of(arguments[0])).split("\n\n")) {
                run(tables, statement.strip());
            }
        }
        System.exit(0);
    }

    private static void run(TableEnvironment tables, String statement) throws Exception {
        boolean asks = statement.startsWith("SELECT");
        // Else a count has as many changes as there are messages, and all of them are brought here.
        tables.getConfig().set("table.exec.mini-batch.enabled", String.valueOf(asks));
        tables.getConfig().set("table.exec.mini-batch.allow-latency", "10 s");
        tables.getConfig().set("table.exec.mini-batch.size", "1000000");
        long begin = System.nanoTime();
        long cpu = cpuNanos();
        TableResult result = tables.executeSql(statement);
        if (statement.startsWith("INSERT")) {
            result.await();
            System.out.printf("job %.3f %.3f%n", (System.nanoTime() - begin) / 1e9, (cpuNanos() - cpu) / 1e9);
        } else if (asks) {
            Row last = null;
            try (CloseableIterator<Row> rows = result.collect()) {
                while (rows.hasNext()) {
                    last = rows.next();
                }
            }
            System.out.println("last " + (last == null ? null : last.getField(0)));
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
