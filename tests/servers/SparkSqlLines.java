import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Spark SQL by lines: a statement comes, and "ok" with its rows in JSON goes, or "error" with the reason; all but the words in base64. */
public class SparkSqlLines {
    public static void main(String[] settings) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        SparkSession.Builder builder = SparkSession.builder().master("local[2]");
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            builder = builder.config(parts[0], parts[1]);
        }
        SparkSession spark = builder.getOrCreate();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String sql = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
            try {
                List<String> rows = spark.sql(sql).toJSON().collectAsList();
                say(out, "ok", "[" + String.join(",", rows) + "]");
            } catch (Exception | LinkageError error) {
                say(out, "error", String.valueOf(error));
            }
        }
        spark.stop();
    }

    private static void say(PrintStream out, String word, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.println(word + " " + Base64.getEncoder().encodeToString(bytes));
        out.flush();
    }
}
